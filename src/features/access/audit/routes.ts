import { listRoute } from '../../../platform/http/route.ts';
import { readAudit } from './read.ts';
import { AuditEntry, AuditQuery } from './schema.ts';

export const auditRoutes = [
  listRoute(
    {
      access: 'admin',
      role: 'owner',
      tag: 'Audit trail',
      method: 'GET',
      path: '/admin/v1/audit',
      operationId: 'adminListAuditEvents',
      summary: 'List audit events',
      description:
        'Lists every change through the admin API or the command line, newest first. An audit event is written in the same transaction as the change and is never changed. It contains no data of a contact.',
      input: AuditQuery,
      response: AuditEntry,
      example: {
        response: {
          id: 31,
          at: '2026-03-01T12:30:00.000Z',
          account_id: 1,
          user_id: 5,
          actor: 'sam@harbour.example',
          address: '203.0.113.7',
          action: 'unit.create',
          subject: 'The Anchor',
          ids: { id: 12 },
          fields: ['name'],
        },
      },
    },
    (tx, { input, slice }) => readAudit(tx, input, slice),
  ),
];
