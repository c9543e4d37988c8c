/**
 * What a user may do: everything; all but tokens, users and accounts themselves, in their accounts; read, in their
 * accounts.
 */
export const roles = ['owner', 'staff', 'viewer'] as const;
export type Role = (typeof roles)[number];

export function mayActAs(role: Role, needed: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(needed);
}
