import Type from 'typebox';
import { eventKind } from '../../../shared/event-kind.ts';
import { Id } from '../../../shared/fields.ts';

const count = (description: string) => Type.Integer({ description, minimum: 0 });

export const importFinished = eventKind(
  'import.finished',
  'An import ended.',
  Type.Object(
    {
      import_id: Id('The import.'),
      state: Type.String({ description: 'How it ended.' }),
      created: count('New rows.'),
      updated: count('Changed rows.'),
      unchanged: count('Rows that changed nothing.'),
      rejected: count('Rows that were not imported.'),
    },
    { title: 'ImportFinished' },
  ),
  { import_id: 3, state: 'done', created: 1200, updated: 340, unchanged: 57, rejected: 3 },
);
