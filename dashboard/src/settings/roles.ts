import type { Role } from '#service/shared/roles.ts';

/** What each may do, in a sentence. The service decides; this only tells. */
export const roles: Record<Role, { name: string; may: string }> = {
  owner: {
    name: 'Owner',
    may: 'Everything, in every account: also users, tokens, the audit trail and deleting accounts.',
  },
  staff: { name: 'Staff', may: 'Everything in their accounts but users, tokens and the audit trail.' },
  viewer: { name: 'Viewer', may: 'Looks at what staff see in their accounts, and changes nothing.' },
};
