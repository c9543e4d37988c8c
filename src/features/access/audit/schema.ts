import Type, { type Static } from 'typebox';
import { Id, Instant, Nullable } from '../../../shared/fields.ts';

export const AuditEntry = Type.Object(
  {
    id: Id('The id of the audit event.'),
    at: Instant('The time of the change.'),
    account_id: Nullable(Id('The account of the change. Null if it concerns no account.')),
    user_id: Nullable(Id('The user. Null for the admin token and the command line.')),
    actor: Type.String({
      description: 'The actor as text, for example the e-mail of the user.',
      examples: ['sam@harbour.example'],
    }),
    address: Nullable(
      Type.String({
        description: 'The address of the client. Null for the command line and for entries of earlier versions.',
        examples: ['203.0.113.7'],
      }),
    ),
    action: Type.String({
      description: 'A stable code. Entries of earlier versions may have a sentence.',
      examples: ['unit.create'],
    }),
    subject: Nullable(Type.String({ description: 'The name of the changed object.', examples: ['The Anchor'] })),
    ids: Type.Record(Type.String(), Type.Integer(), { description: 'The ids of the changed objects.' }),
    fields: Type.Array(Type.String(), { description: 'The names of the fields that were sent, never their values.' }),
  },
  { title: 'AuditEvent' },
);
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditQuery = Type.Object({
  account_id: Type.Optional(Id('Only changes in this account.')),
  user_id: Type.Optional(Id('Only changes by this user.')),
});
export type AuditQuery = Static<typeof AuditQuery>;
