import type { Role } from '#service/shared/roles.ts';

/** One sentence per role, for the screen. The service enforces the roles. */
export const roles: Record<Role, { name: string; may: string }> = {
  owner: {
    name: 'Owner',
    may: 'Can do everything in every account, including users, tokens, the audit trail and deleting accounts.',
  },
  staff: { name: 'Staff', may: 'Can do everything in their accounts except users, tokens and the audit trail.' },
  viewer: { name: 'Viewer', may: 'Can see what staff see in their accounts, without changing anything.' },
};
