import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { formatNumber, formatPercent, withCount } from '../../ui/format.ts';
import { Panel } from '../../ui/Panel.tsx';
import { dismissGeneration, stopGeneration, useGeneration } from './generations.ts';

/** The progress and the result of a generation. */
export function GenerationProgress({ path }: { path: string }) {
  const generation = useGeneration(path);
  if (!generation) return null;
  const { state, done, of, problem } = generation;
  if (state !== 'running') {
    const outcome = {
      done: { color: 'green', text: `${withCount(done, 'code was', 'codes were')} generated.` },
      stopped: { color: 'gray', text: 'Stopped. No codes were generated.' },
      failed: { color: 'red', text: `No codes were generated. ${problem}` },
    }[state];
    return (
      <Alert
        color={outcome.color}
        role="status"
        withCloseButton
        closeButtonLabel="Dismiss"
        onClose={() => dismissGeneration(path)}
      >
        {outcome.text}
      </Alert>
    );
  }
  return (
    <Panel>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap">
          <Text fw={500}>
            Generating codes: {formatNumber(done)} of {formatNumber(of)}
          </Text>
          <Text c="dimmed">{formatPercent(Math.floor((done / of) * 100) / 100)}</Text>
        </Group>
        <Progress.Root size="md">
          <Progress.Section value={(done / of) * 100} aria-label="Generated codes" />
        </Progress.Root>
        <Group justify="space-between" align="flex-start" gap="xs">
          <Text size="sm" c="dimmed" maw="40rem">
            The codes appear when all of them are ready. You can keep working in the dashboard. If you close this tab,
            the generation stops and no codes are created.
          </Text>
          <Button variant="default" size="xs" onClick={() => stopGeneration(path)}>
            Stop
          </Button>
        </Group>
      </Stack>
    </Panel>
  );
}
