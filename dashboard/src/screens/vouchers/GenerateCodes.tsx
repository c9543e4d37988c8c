import { Code, Group, Modal, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import type { CodeGroup } from '#service/features/vouchers/group-schema.ts';
import { useAccount } from '../../session/session.ts';
import { FormEnd, useServerForm } from '../../ui/form.tsx';
import { formatNumber } from '../../ui/format.ts';
import { startGeneration } from './generations.ts';
import { groupPath, refreshVouchers } from './paths.ts';

/** The limits of the service. */
const counts = { min: 1, max: 1_000_000 };
const lengths = { min: 4, max: 64 };
/** Keeps the typed text, so that the user can correct it. It is never changed to another number. */
const within =
  ({ min, max }: { min: number; max: number }) =>
  (typed: number | string) =>
    Number.isInteger(Number(typed)) && Number(typed) >= min && Number(typed) <= max
      ? null
      : `A whole number from ${formatNumber(min)} to ${formatNumber(max)}.`;
/** An example code, with the service's alphabet. */
const sample = '7KQX3MPT9C4HVRWD8FJN6Y'.repeat(3);

interface GenerateCodesProps {
  group: CodeGroup;
  opened: boolean;
  onClose: () => void;
}

export function GenerateCodes({ group, opened, onClose }: GenerateCodesProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Generate codes">
      <GenerateForm group={group} onClose={onClose} />
    </Modal>
  );
}

function GenerateForm({ group, onClose }: Omit<GenerateCodesProps, 'opened'>) {
  const account = useAccount();
  const form = useServerForm({
    initialValues: { count: 1000 as number | string, prefix: '', length: 10 as number | string },
    validate: { count: within(counts), length: within(lengths) },
    send: ({ count, prefix, length }) =>
      startGeneration({
        path: groupPath(account, group.id),
        name: group.name,
        codes: { count: Number(count), length: Number(length), ...(prefix === '' ? {} : { prefix }) },
        onEnd: () => refreshVouchers(account),
      }),
    onDone: onClose,
  });
  const { prefix, length } = form.getValues();
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <NumberInput
          label="How many"
          description={`Up to ${formatNumber(counts.max)} at once.`}
          required
          {...counts}
          clampBehavior="none"
          thousandSeparator
          data-autofocus
          {...form.getInputProps('count')}
        />
        <Group grow align="flex-start">
          <TextInput
            label="Prefix (optional)"
            description="Each code starts with it."
            placeholder="SUMMER-"
            maxLength={64}
            {...form.getInputProps('prefix')}
          />
          <NumberInput
            label="Length"
            description="Random characters after the prefix."
            required
            {...lengths}
            clampBehavior="none"
            {...form.getInputProps('length')}
          />
        </Group>
        <Text size="sm" c="dimmed">
          Example:{' '}
          <Code>
            {prefix}
            {sample.slice(0, Math.min(lengths.max, Math.max(lengths.min, Number(length) || 10)))}
          </Code>
          . Anyone can guess codes at a till, so more codes need more characters. At most one guess in 100,000 may hit a
          code.
        </Text>
        <FormEnd form={form} onCancel={onClose}>
          Generate
        </FormEnd>
      </Stack>
    </form>
  );
}
