/**
 * The roles. `owner`: everything. `staff`: everything in their accounts except tokens, users and accounts. `viewer`:
 * read in their accounts.
 */
export const roles = ['owner', 'staff', 'viewer'] as const;
export type Role = (typeof roles)[number];

export function mayActAs(role: Role, needed: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(needed);
}
