import { Alert, Button, Code, FileButton, Group, List, Modal, Progress, Stack, Text, Textarea } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import type { CodeGroup } from '#service/features/vouchers/group-schema.ts';
import { useShowsError } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { withCount } from '../../ui/format.ts';
import { isText, readCodeLines } from './code-lines.ts';
import { importCodes, LinesRefused } from './import-codes.ts';
import { groupPath, refreshVouchers } from './paths.ts';

interface ImportCodesProps {
  group: CodeGroup;
  opened: boolean;
  onClose: () => void;
}

export function ImportCodes({ group, opened, onClose }: ImportCodesProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Import codes" size="lg">
      <ImportForm group={group} onClose={onClose} />
    </Modal>
  );
}

function ImportForm({ group, onClose }: Omit<ImportCodesProps, 'opened'>) {
  const account = useAccount();
  const [text, setText] = useState('');
  const [isWrongFile, setWrongFile] = useState(false);
  const [taken, setTaken] = useState(0);
  const deferred = useDeferredValue(text);
  const lines = useMemo(() => readCodeLines(deferred), [deferred]);
  const importing = useMutation({
    mutationFn: () => importCodes(groupPath(account, group.id), lines, setTaken),
    meta: useShowsError(),
    onSettled: () => refreshVouchers(account),
  });
  if (importing.data) {
    const { created } = importing.data;
    const known = lines.codes.length - created;
    return (
      <Stack>
        <Alert color="green" role="status">
          {withCount(created, 'code was', 'codes were')} added.
          {known > 0 && ` ${withCount(known, 'was', 'were')} already in the group.`}
        </Alert>
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            Done
          </Button>
        </Group>
      </Stack>
    );
  }
  function replace(next: string) {
    setText(next);
    setWrongFile(false);
    setTaken(0);
    importing.reset();
  }
  async function readFile(file: File | null) {
    const content = await file?.text();
    if (content === undefined) return;
    if (isText(content)) replace(content);
    else setWrongFile(true);
  }
  return (
    <Stack>
      <Textarea
        label="Codes"
        description="One code per line. Codes that are already in the group do not change."
        placeholder={'SUMMER-7KQ\nSUMMER-P2X'}
        rows={8}
        spellCheck={false}
        value={text}
        error={isWrongFile ? 'This is not a text file. Choose a .txt or .csv file.' : lines.problem}
        disabled={importing.isPending}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        data-autofocus
        onChange={(event) => replace(event.currentTarget.value)}
      />
      <Group justify="space-between" gap="xs">
        <FileButton accept=".txt,.csv,text/plain,text/csv" onChange={(file) => void readFile(file)}>
          {(props) => (
            <Button
              {...props}
              variant="default"
              size="xs"
              leftSection={<IconFileUpload size={14} aria-hidden />}
              disabled={importing.isPending}
            >
              Choose a file
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed" aria-live="polite">
          {withCount(lines.codes.length, 'code')}
          {lines.repeated > 0 && `, ${withCount(lines.repeated, 'repeated line')} left out`}
        </Text>
      </Group>
      {lines.codes.length > 0 && !lines.problem && !importing.error && (
        <Text size="sm" c="dimmed">
          First code: <Code>{lines.codes[0]}</Code>
        </Text>
      )}
      {importing.isPending && taken > 0 && (
        <Progress.Root>
          <Progress.Section value={(taken / lines.codes.length) * 100} aria-label="Imported codes" />
        </Progress.Root>
      )}
      {importing.error && <Refused error={importing.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          loading={importing.isPending}
          disabled={lines.codes.length === 0 || lines.problem !== null}
          onClick={() => importing.mutate()}
        >
          Import
        </Button>
      </Group>
    </Stack>
  );
}

/** The most lines that the error lists. */
const maxLines = 12;

function Refused({ error }: { error: Error }) {
  if (!(error instanceof LinesRefused)) return <Alert color="red">{error.message}</Alert>;
  const { lines, before } = error;
  return (
    <Alert
      color="red"
      role="alert"
      title={before.taken === 0 ? 'No codes were imported' : 'Not all codes were imported'}
    >
      <Stack gap="xs">
        {before.taken > 0 && (
          <Text size="sm">
            The first {withCount(before.taken, 'code')} were imported,{' '}
            {withCount(before.created, 'of them is', 'of them are')} new. Correct the lines below, then import the whole
            list again. Existing codes do not change.
          </Text>
        )}
        <List size="sm">
          {lines.slice(0, maxLines).map(({ line, text }) => (
            <List.Item key={line}>
              Line {line}: {text}
            </List.Item>
          ))}
        </List>
        {lines.length > maxLines && <Text size="sm">And {withCount(lines.length - maxLines, 'more line')}.</Text>}
      </Stack>
    </Alert>
  );
}
