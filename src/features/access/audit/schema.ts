import Type, { type Static } from 'typebox';
import { Id, Instant, Nullable } from '../../../shared/fields.ts';

export const AuditEntry = Type.Object({
  id: Id('Entry id'),
  at: Instant('When.'),
  account_id: Nullable(Id('In which account; null: in none.')),
  user_id: Nullable(Id('Which user; null: none, but the admin token or the command line.')),
  actor: Type.String({ description: 'Who, in words.', examples: ['sam@harbour.example'] }),
  address: Nullable(
    Type.String({
      description: 'The client’s address; null: the command line, or an entry of an earlier version.',
      examples: ['203.0.113.7'],
    }),
  ),
  action: Type.String({
    description: 'What, as a code that never changes. Entries of earlier versions that have no code have a sentence.',
    examples: ['unit.create'],
  }),
  subject: Nullable(Type.String({ description: 'The name of what it was done to.', examples: ['The Anchor'] })),
  ids: Type.Record(Type.String(), Type.Integer(), { description: 'The ids that it was about.' }),
  fields: Type.Array(Type.String(), { description: 'The names of the fields that were sent; never their values.' }),
});
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditQuery = Type.Object({
  account_id: Type.Optional(Id('Only what was done in this account.')),
  user_id: Type.Optional(Id('Only what this user did.')),
});
export type AuditQuery = Static<typeof AuditQuery>;
