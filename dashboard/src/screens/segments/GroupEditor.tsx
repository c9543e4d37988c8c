import { ActionIcon, Button, Group, NativeSelect } from '@mantine/core';
import { IconFolderPlus, IconPlus, IconX } from '@tabler/icons-react';
import classes from './Builder.module.css';
import { addButtonId, useBuilder } from './builder-context.ts';
import { ConditionEditor } from './ConditionEditor.tsx';
import { type DraftGroup, type DraftPart, emptyCondition, mayNest, newGroup } from './draft.ts';
import { Problem } from './Problem.tsx';

interface GroupEditorProps {
  of: DraftGroup;
  /** 1 for the outermost group. */
  level: number;
  /** "Guests", "and" or "or". */
  joint: string;
  /** The group around it. */
  parentId?: number;
  /** "2": the second part. "2.1": its first part. */
  number?: string;
}

/** A group of conditions: all or any of them hold. */
export function GroupEditor({ of: group, level, joint, parentId, number = '' }: GroupEditorProps) {
  const { change, add, remove, problems } = useBuilder();
  const isOutermost = parentId === undefined;
  const name = isOutermost ? 'All conditions' : `Group ${number}`;
  const hasHead = !isOutermost || group.parts.length > 1 || group.not;
  const update = (values: Partial<Pick<DraftGroup, 'not' | 'join'>>) =>
    change(group.id, (part) => ({ ...part, ...values }) as DraftPart);
  const partJoint = (n: number) => {
    if (n > 0) return group.join === 'all' ? 'and' : 'or';
    return hasHead ? '' : joint;
  };
  return (
    <fieldset className={classes.group} aria-label={name} data-nested={!isOutermost || undefined}>
      {hasHead && (
        <div className={classes.head}>
          <span className={classes.words}>{joint} who</span>
          <NativeSelect
            aria-label={`${name}: match or not`}
            data={['match', 'do not match']}
            value={group.not ? 'do not match' : 'match'}
            onChange={(event) => update({ not: event.currentTarget.value !== 'match' })}
          />
          <NativeSelect
            aria-label={`${name}: all or any`}
            data={[
              { value: 'all', label: 'all' },
              { value: 'any', label: 'any' },
            ]}
            value={group.join}
            onChange={(event) => update({ join: event.currentTarget.value === 'any' ? 'any' : 'all' })}
          />
          <span className={classes.words}>of these:</span>
          {!isOutermost && (
            <ActionIcon
              className={classes.last}
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={`Remove ${name.toLowerCase()}`}
              onClick={() => remove(group.id, parentId)}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          )}
        </div>
      )}
      <Problem of={problems.get(group.id)} />
      <ol className={classes.parts}>
        {group.parts.map((part, n) => {
          const own = `${number}${number && '.'}${n + 1}`;
          return (
            <li key={part.id}>
              {part.kind === 'group' ? (
                <GroupEditor of={part} level={level + 1} joint={partJoint(n)} parentId={group.id} number={own} />
              ) : (
                <ConditionEditor
                  of={part}
                  joint={partJoint(n)}
                  isAny={group.join === 'any'}
                  groupId={group.id}
                  number={own}
                />
              )}
            </li>
          );
        })}
      </ol>
      <Group gap="xs" className={classes.add}>
        <Button
          id={addButtonId(group.id)}
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => add(group.id, emptyCondition())}
        >
          Add condition
        </Button>
        {mayNest(level) && (
          <Button
            variant="subtle"
            size="xs"
            leftSection={<IconFolderPlus size={14} aria-hidden />}
            onClick={() => add(group.id, newGroup(group.join === 'all' ? 'any' : 'all'))}
          >
            Add group
          </Button>
        )}
      </Group>
    </fieldset>
  );
}
