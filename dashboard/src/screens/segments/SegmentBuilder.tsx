import { Button, Group, Text } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import type { Segment } from '#service/features/insight/segments/schema.ts';
import type { Definition } from '#service/shared/segment-fields.ts';
import { ApiError } from '../../api/client.ts';
import { drafts } from '../../session/drafts.ts';
import { useSession } from '../../session/session.ts';
import { withCount } from '../../ui/format.ts';
import { Panel } from '../../ui/Panel.tsx';
import classes from './Builder.module.css';
import { addButtonId, Builder } from './builder-context.ts';
import {
  changed,
  type DraftGroup,
  type DraftPart,
  definitionOf,
  draftOf,
  gapsIn,
  problemsByPart,
  withNewIds,
} from './draft.ts';
import { GroupEditor } from './GroupEditor.tsx';
import { useChoices } from './names.ts';
import { PreviewPanel } from './PreviewPanel.tsx';
import { usePreview } from './preview.ts';
import { SaveSegment } from './SaveSegment.tsx';
import type { NamedKind } from './sentence.ts';

interface Saving {
  send: (name: string, definition: Definition) => Promise<Segment>;
  onSaved: (segment: Segment) => Promise<unknown>;
}

interface SegmentBuilderProps {
  /** Where the unsaved draft is stored. */
  draftKey: string;
  /** Undefined: one empty condition. */
  start: Definition | undefined;
  /** The suggested name. */
  name: string;
  /** The edited segment, which cannot refer to itself. */
  ownId?: number;
  /** Controls above the conditions. They can replace the definition until a condition is changed. */
  above?: (isChanged: boolean, replace: (definition: Definition) => void) => ReactNode;
  /** Saves the segment. */
  save: Saving | undefined;
  /** Uses the conditions without a name, instead of saving them. */
  use?: { label: string; onUse: (definition: Definition) => void };
  onCancel: () => void;
}

/** Waits for this time after the last change before it counts. */
const waitMs = 300;

/** The conditions of a segment beside a live count of its guests. */
export function SegmentBuilder(props: SegmentBuilderProps) {
  const { draftKey, start, name, ownId, above, save: saving, use, onCancel } = props;
  const { user } = useSession();
  const [{ root, isChanged }, setState] = useState(() => {
    const draft = drafts.read(draftKey, user.id);
    return draft
      ? { root: withNewIds(JSON.parse(draft) as DraftGroup), isChanged: true }
      : { root: draftOf(start), isChanged: false };
  });
  const toFocus = useRef<number>(undefined);
  const [showsGaps, setShowsGaps] = useState(false);
  const [refused, setRefused] = useState<{ root: DraftGroup; fields: ApiError['fields'] }>();
  const [asking, ask] = useDisclosure();

  const [settled] = useDebouncedValue(root, waitMs);
  const written = useMemo(() => (gapsIn(settled).size === 0 ? definitionOf(settled) : undefined), [settled]);
  const preview = usePreview(written?.definition);
  const allChoices = useChoices(kindsNeeded(root));
  const choices = { ...allChoices, segment: allChoices.segment?.filter(({ id }) => id !== ownId) };

  const gaps = gapsIn(root);
  const problems = new Map([
    ...(preview.error && written ? problemsByPart(preview.error.fields, written.places) : []),
    ...(refused?.root === root ? problemsByPart(refused.fields, definitionOf(root).places) : []),
    ...(showsGaps ? gaps : []),
  ]);

  function update(change: (root: DraftGroup) => DraftGroup) {
    setState((old) => {
      const next = change(old.root);
      drafts.store(draftKey, user.id, JSON.stringify(next));
      return { root: next, isChanged: true };
    });
  }
  const change = (id: number, act: (part: DraftPart) => DraftPart | undefined) =>
    update((old) => (changed(old, id, act) as DraftGroup | undefined) ?? draftOf(undefined));
  const add = (groupId: number, part: DraftPart) => {
    toFocus.current = part.kind === 'group' ? part.parts[0]?.id : part.id;
    change(groupId, (group) => (group.kind === 'group' ? { ...group, parts: [...group.parts, part] } : group));
  };
  const remove = (id: number, groupId: number) => {
    change(id, () => undefined);
    // The group is removed with its last condition.
    setTimeout(() => document.getElementById(addButtonId(groupId))?.focus() ?? focusLastAdd());
  };
  const forget = () => drafts.store(draftKey, user.id, '');
  const finish = () => {
    setShowsGaps(true);
    const [first] = gaps.keys();
    if (first === undefined && use) {
      forget();
      use.onUse(definitionOf(root).definition);
    } else if (first === undefined) ask.open();
    else setTimeout(() => document.querySelector<HTMLElement>(`[data-part="${first}"] [aria-invalid=true]`)?.focus());
  };

  return (
    <Builder value={{ change, add, remove, choices, problems, toFocus }}>
      <div className={classes.layout}>
        <div className={classes.main}>
          {above?.(isChanged, (definition) => setState({ root: draftOf(definition), isChanged: false }))}
          <Panel title="Conditions">
            <GroupEditor of={root} level={1} joint="Guests" />
            <Group gap="xs" mt="lg" className={classes.end}>
              <Button onClick={finish}>{use?.label ?? 'Save segment'}</Button>
              <Button
                variant="default"
                onClick={() => {
                  forget();
                  onCancel();
                }}
              >
                Cancel
              </Button>
              {/* The panel with the result can be below the screen. It is read out there. */}
              {preview.data && (
                <Text className={classes.brief} aria-hidden>
                  {withCount(preview.data.count, 'guest')}
                </Text>
              )}
            </Group>
          </Panel>
        </div>
        <div className={classes.aside}>
          <PreviewPanel
            of={preview}
            definition={written?.definition}
            isWaiting={settled !== root}
            choices={allChoices}
            hasPlace={problems.size > 0}
          />
        </div>
      </div>
      {saving && (
        <SaveSegment
          opened={asking}
          onClose={ask.close}
          name={name}
          send={async (typed) => {
            try {
              return await saving.send(typed, definitionOf(root).definition);
            } catch (error) {
              if (error instanceof ApiError) setRefused({ root, fields: error.fields });
              throw error;
            }
          }}
          onSaved={async (segment) => {
            forget();
            await saving.onSaved(segment);
          }}
        />
      )}
    </Builder>
  );
}

function focusLastAdd() {
  document.querySelector<HTMLElement>(`[id^="${addButtonId(0).slice(0, -1)}"]:last-of-type`)?.focus();
}

/** Venues and custom fields are in every condition's choices. */
function kindsNeeded(part: DraftPart, kinds = new Set<NamedKind>(['unit', 'udf'])): Set<NamedKind> {
  if (part.kind === 'group') for (const one of part.parts) kindsNeeded(one, kinds);
  else if (part.field === 'group' || part.field === 'source' || part.field === 'segment') kinds.add(part.field);
  return kinds;
}
