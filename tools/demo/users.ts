/** Public passwords. The demo listens only on the local machine by default. */
export const users = [
  { role: 'owner', email: 'olivia@marlowe-finch.example', password: 'demo-owner' },
  { role: 'staff', email: 'sam@marlowe-finch.example', password: 'demo-staff' },
  { role: 'viewer', email: 'vera@marlowe-finch.example', password: 'demo-viewer' },
] as const;

const [{ email: owner }, { email: staff }] = users;

export { owner, staff };
