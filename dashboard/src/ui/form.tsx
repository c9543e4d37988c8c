import { Alert, Button, Group, Text } from '@mantine/core';
import { type UseFormInput, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import type { ApiError } from '../api/client.ts';
import { useShowsError } from '../api/queries.ts';

interface ServerFormInput<Values extends Record<string, unknown>, Result> extends UseFormInput<Values> {
  initialValues: Values;
  /**
   * Sends the form: `(values) => api.post(…, values)`. An update sends only the changed fields, because others can
   * change the rest meanwhile: `(_values, changed) => api.patch(…, changed)`.
   */
  send: (values: Values, changed: Partial<Values>) => Promise<Result>;
  onDone?: (result: Result, values: Values) => unknown;
}

/**
 * A form whose fields show the service's messages: `const form = useServerForm({ initialValues, send, onDone })`, then
 * `<form onSubmit={form.submit}>`, `<TextInput {...form.getInputProps('name')} />` and `<FormEnd
 * form={form}>Save</FormEnd>`.
 */
export function useServerForm<Values extends Record<string, unknown>, Result = void>({
  send,
  onDone,
  ...input
}: ServerFormInput<Values, Result>) {
  const form = useForm<Values>(input);
  const sending = useMutation<Result, ApiError, Values>({
    mutationFn: (values) => send(values, changed()),
    meta: useShowsError(),
    onSuccess: (result, values) => onDone?.(result, values),
    onError: ({ fields }) => {
      const own = Object.entries(fields).filter(([field]) => owner(field) in form.getValues());
      form.setErrors(Object.fromEntries(own.map(([field, text]) => [owner(field), text])));
      if (own[0]) form.getInputNode(owner(own[0][0]))?.focus();
    },
  });
  /** The changes since the form was opened. The service may have other values by now. */
  const changed = () =>
    Object.fromEntries(Object.entries(form.getValues()).filter(([field]) => form.isDirty(field))) as Partial<Values>;
  const { error } = sending;
  const others = Object.entries(error?.fields ?? {}).filter(([field]) => !(owner(field) in form.getValues()));
  return {
    ...form,
    submit: (event?: FormEvent<HTMLFormElement>) =>
      form.onSubmit(
        (values) => sending.mutate(values),
        (errors) => form.getInputNode(Object.keys(errors)[0] ?? '')?.focus(),
      )(event),
    busy: sending.isPending,
    /** The messages that belong to no field of the form. */
    problem:
      error &&
      (Object.keys(error.fields).length === 0 ? error.message : others.map(([, text]) => text).join(' ') || null),
    /** Resets the values and the messages. */
    restart: () => {
      form.reset();
      sending.reset();
    },
  };
}

/** The messages of `codes.3` belong to the field `codes`. */
const owner = (field: string) => field.split('.', 1)[0] ?? field;

/** The character count below a field with a maximum length, shown near the limit. */
export function CharacterCount({ text, max }: { text: string; max: number }) {
  if (text.length < max - 50) return null;
  const isFull = text.length >= max;
  return (
    <Text size="xs" c={isFull ? 'yellow' : 'dimmed'}>
      {text.length} of {max}
      {/* Announced once by screen readers, not at every key. */}
      <span role="status">{isFull && '. The limit is reached.'}</span>
    </Text>
  );
}

interface FormEndProps {
  form: { busy: boolean; problem: string | null };
  children: string;
  onCancel?: () => void;
  disabled?: boolean;
  danger?: boolean;
  fullWidth?: boolean;
  /** Content before the buttons. */
  aside?: ReactNode;
}

/** The end of a form: general errors and the buttons. */
export function FormEnd({
  form,
  children,
  onCancel,
  disabled = false,
  danger = false,
  fullWidth = false,
  aside,
}: FormEndProps) {
  return (
    <>
      {form.problem && (
        <Alert color="red" role="alert">
          {form.problem}
        </Alert>
      )}
      <Group justify={onCancel ? 'flex-end' : 'flex-start'} gap="xs">
        {aside}
        {onCancel && (
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Button
          type="submit"
          color={danger ? 'red' : undefined}
          loading={form.busy}
          disabled={disabled}
          fullWidth={fullWidth}
        >
          {children}
        </Button>
      </Group>
    </>
  );
}
