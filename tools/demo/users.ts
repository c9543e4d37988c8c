/** Anybody may know these: the demo listens on this machine alone, unless it is told otherwise. */
export const users = [
  { role: 'owner', email: 'olivia@marlowe-finch.example', password: 'demo-owner' },
  { role: 'staff', email: 'sam@marlowe-finch.example', password: 'demo-staff' },
  { role: 'viewer', email: 'vera@marlowe-finch.example', password: 'demo-viewer' },
] as const;

const [{ email: owner }, { email: staff }] = users;

export { owner, staff };
