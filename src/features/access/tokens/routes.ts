import { crudRoutes } from '../../../platform/http/crud-routes.ts';
import { changeToken, createToken, listTokens, revokeToken, showToken } from './manage.ts';
import { CreatedToken, NewToken, RenamedToken, Token } from './schema.ts';

export const tokenRoutes = crudRoutes(
  {
    path: '/admin/v1/accounts/:account_id/tokens',
    id: 'token_id',
    kind: 'token',
    noun: 'personal access token',
    plural: 'personal access tokens',
    removal: 'Revoke',
    tag: 'Manage tokens',
    ownersOnly: 'all',
    create: NewToken,
    created: CreatedToken,
    change: RenamedToken,
    response: Token,
    example: {
      create: { name: 'Till at The Anchor', expires_at: '2027-01-01 00:00:00' },
      created: { id: 7, name: 'Till at The Anchor', token: 'regulars_pat_1_…' },
      change: { name: 'Till at The Anchor' },
      response: {
        id: 7,
        name: 'Till at The Anchor',
        user_id: null,
        created_by: 'admin token',
        created_at: '2026-03-01T12:30:00.000Z',
        expires_at: '2027-01-01T00:00:00.000Z',
        last_used_at: null,
        revoked_at: null,
      },
    },
    notes: {
      create:
        'The response contains the token. It is shown once and stored as a hash. Without `user_id` the token can access only this account.',
      list: 'Sorted by id. Revoked tokens are included.',
      change: 'Only the name can be changed.',
      remove: 'The revocation takes effect within 100 ms. The token stays in the list, with `revoked_at`.',
    },
  },
  {
    create: (tx, { accountId, input, actor }) => createToken(tx, accountId, input, actor),
    list: (tx, { accountId, slice }) => listTokens(tx, accountId, slice),
    show: (tx, { accountId }, id) => showToken(tx, accountId, id),
    change: (tx, { accountId, input }, id) => changeToken(tx, accountId, id, input.name),
    remove: (tx, { accountId }, id) => revokeToken(tx, accountId, id),
  },
);
