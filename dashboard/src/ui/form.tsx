import { Alert, Button, Group, Text } from '@mantine/core';
import { type UseFormInput, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import type { ApiError } from '../api/client.ts';
import { useShownHere } from '../api/queries.ts';

interface ServerFormInput<Values extends Record<string, unknown>, Result> extends UseFormInput<Values> {
  initialValues: Values;
  /**
   * Sends it: `(values) => api.post(…, values)`; or, of what others may change meanwhile, only what was changed here:
   * `(_values, changed) => api.patch(…, changed)`.
   */
  send: (values: Values, changed: Partial<Values>) => Promise<Result>;
  onDone?: (result: Result, values: Values) => unknown;
}

/**
 * A form whose fields show what the service said of them: `const form = useServerForm({ initialValues, send, onDone })`, then
 * `<form onSubmit={form.submit}>`, `<TextInput {...form.getInputProps('name')} />` and `<FormEnd form={form}>Save</FormEnd>`.
 */
export function useServerForm<Values extends Record<string, unknown>, Result = void>({
  send,
  onDone,
  ...input
}: ServerFormInput<Values, Result>) {
  const form = useForm<Values>(input);
  const sending = useMutation<Result, ApiError, Values>({
    mutationFn: (values) => send(values, changed()),
    meta: useShownHere(),
    onSuccess: (result, values) => onDone?.(result, values),
    onError: ({ fields }) => {
      const own = Object.entries(fields).filter(([field]) => owner(field) in form.getValues());
      form.setErrors(Object.fromEntries(own.map(([field, text]) => [owner(field), text])));
      if (own[0]) form.getInputNode(owner(own[0][0]))?.focus();
    },
  });
  /** Against what the fields showed at first, which may no longer be what the service has. */
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
    /** What is wrong that no field of the form shows. */
    problem:
      error &&
      (Object.keys(error.fields).length === 0 ? error.message : others.map(([, text]) => text).join(' ') || null),
    /** As it was at first, without any word of the service. */
    restart: () => {
      form.reset();
      sending.reset();
    },
  };
}

/** `codes.3` is a matter of the field `codes`. */
const owner = (field: string) => field.split('.', 1)[0] ?? field;

/** Below a field that takes so many characters and cuts off the rest: how far one is, once the end is near. */
export function LengthLeft({ text, max }: { text: string; max: number }) {
  if (text.length < max - 50) return null;
  const isFull = text.length >= max;
  return (
    <Text size="xs" c={isFull ? 'yellow' : 'dimmed'}>
      {text.length} of {max}
      {/* Said aloud once, rather than at every key. */}
      <span role="status">{isFull && '. No more fits.'}</span>
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
  /** More to say or to press, before the buttons. */
  aside?: ReactNode;
}

/** The end of a form: what is wrong with it as a whole, and its buttons. */
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
