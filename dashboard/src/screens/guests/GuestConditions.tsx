import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { Ref } from 'react';
import type { Segment } from '#service/features/insight/segments/schema.ts';
import { flagOf } from '#service/shared/codes.ts';
import type { Definition } from '#service/shared/segment-fields.ts';
import { api } from '../../api/client.ts';
import { useAccount, useHasRole } from '../../session/session.ts';
import { withCount } from '../../ui/format.ts';
import { Panel } from '../../ui/Panel.tsx';
import { useNames } from '../segments/names.ts';
import { segmentsPath, showSaved } from '../segments/paths.ts';
import { SaveSegment } from '../segments/SaveSegment.tsx';
import { SegmentBuilder } from '../segments/SegmentBuilder.tsx';
import { sentenceOf } from '../segments/sentence.ts';
import type { GuestsSearch } from './queries.ts';

const route = getRouteApi('/guard/accounts/$accountId/guests');

/** The definition in the URL. */
export const definitionIn = ({ definition }: GuestsSearch): Definition | undefined =>
  definition === undefined ? undefined : (JSON.parse(definition) as Definition);

/** Opens the conditions that filter the list. */
export function FilterButton({ ref, onClick }: { ref: Ref<HTMLButtonElement>; onClick: () => void }) {
  return (
    <Button ref={ref} variant="default" leftSection={<IconFilter size={16} aria-hidden />} onClick={onClick}>
      Filter
    </Button>
  );
}

/** Edits the conditions that filter the list. */
export function ConditionsEditor({ onClose }: { onClose: () => void }) {
  const account = useAccount();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <SegmentBuilder
      draftKey={`${account.path}/contacts/filter`}
      start={definitionIn(search)}
      name=""
      save={undefined}
      use={{
        label: 'Show guests',
        onUse: (definition) => {
          onClose();
          // A search text cannot be combined with conditions.
          void navigate({
            search: (now) => ({
              ...now,
              definition: JSON.stringify(definition),
              search: undefined,
              page: undefined,
            }),
          });
        },
      }}
      onCancel={onClose}
    />
  );
}

interface ConditionsShownProps {
  definition: Definition;
  /** Undefined: not loaded. */
  count: number | null | undefined;
  onChange: () => void;
  ref: Ref<HTMLButtonElement>;
}

/** The conditions in words, with the number of guests. */
export function ConditionsShown({ definition, count, onChange, ref }: ConditionsShownProps) {
  const navigate = route.useNavigate();
  const mayWrite = useHasRole('staff');
  const nameOf = useNames([definition]);
  const [saving, save] = useDisclosure();
  return (
    <Panel>
      <Text fw={500}>{sentenceOf(definition, nameOf)}</Text>
      <Text c="dimmed" size="sm" role="status">
        {typeof count === 'number' ? withCount(count, 'guest') : '\u00a0'}
      </Text>
      <Group gap="xs" mt="sm">
        <Button ref={ref} variant="default" size="xs" onClick={onChange}>
          Change conditions
        </Button>
        {mayWrite && (
          <Button variant="default" size="xs" onClick={save.open}>
            Save as segment
          </Button>
        )}
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          onClick={() => void navigate({ search: (now) => ({ ...now, definition: undefined, page: undefined }) })}
        >
          Remove conditions
        </Button>
      </Group>
      <SaveAs definition={definition} opened={saving} onClose={save.close} />
    </Panel>
  );
}

interface SaveAsProps {
  definition: Definition;
  opened: boolean;
  onClose: () => void;
}

function SaveAs({ definition, opened, onClose }: SaveAsProps) {
  const account = useAccount();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <SaveSegment
      opened={opened}
      onClose={onClose}
      name=""
      send={(name) => api.post<Segment>(segmentsPath(account), { name, definition: withFilters(definition, search) })}
      onSaved={(segment) => {
        showSaved(account, segment);
        return navigate({
          to: '/accounts/$accountId/segments/$segmentId',
          params: { accountId: account.id, segmentId: segment.id },
          search: {},
        });
      }}
    />
  );
}

/** The other filters of the list belong to the segment too. */
function withFilters(definition: Definition, { unit_id, group_id, consent }: GuestsSearch): Definition {
  const more: Definition[] = [];
  if (unit_id !== undefined) more.push({ field: 'unit', op: 'in', value: [unit_id] });
  if (group_id !== undefined) more.push({ field: 'group', op: 'in', value: [group_id] });
  if (consent !== undefined) more.push({ field: flagOf[consent], op: 'is', value: true });
  if (more.length === 0) return definition;
  // Conditions of one level are easier to edit, and the number of levels is limited.
  return 'all' in definition ? { all: [...definition.all, ...more] } : { all: [definition, ...more] };
}
