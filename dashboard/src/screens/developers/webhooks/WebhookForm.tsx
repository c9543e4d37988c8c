import { Button, Checkbox, Input, Radio, Stack, TextInput } from '@mantine/core';
import type { NewWebhook, Webhook } from '#service/features/exchange/webhooks/schema.ts';
import { api } from '../../../api/client.ts';
import { useAccount } from '../../../session/session.ts';
import { FormEnd, useServerForm } from '../../../ui/form.tsx';
import { type EventTypeGroup, eventGroups, knownTypes } from '../events/event-types.ts';
import { refreshWebhooks, webhookPath } from './paths.ts';
import classes from './Webhooks.module.css';

type WebhookFormProps = { onCancel: () => void } & (
  | { of?: undefined; onDone: (created: NewWebhook) => void }
  | { of: Webhook; onDone: () => void }
);

/** Creates or changes a webhook. */
export function WebhookForm({ of, onDone, onCancel }: WebhookFormProps) {
  const account = useAccount();
  const all = of === undefined || of.types.includes('*');
  const form = useServerForm({
    initialValues: {
      url: of?.url ?? '',
      description: of?.description ?? '',
      which: all ? 'all' : 'some',
      types: all ? [] : of.types,
    },
    validate: {
      types: (types, { which }) => (which === 'some' && types.length === 0 ? 'Choose at least one event.' : null),
    },
    send: ({ url, description, which, types }, changed) => {
      const sent = which === 'all' ? ['*'] : types;
      if (!of) return api.post<NewWebhook>(`${account.path}/webhooks`, { url, types: sent, description });
      return api.patch<NewWebhook>(webhookPath(account, of.id), {
        ...('url' in changed && { url }),
        ...('description' in changed && { description }),
        ...(('which' in changed || 'types' in changed) && { types: sent }),
      });
    },
    onDone: async (result) => {
      await refreshWebhooks(account);
      onDone(result);
    },
  });
  const { which, types } = form.getValues();
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <TextInput
          label="URL"
          description="Where the other system receives events. Its makers or its manual tell you."
          placeholder="https://crm.example.com/hooks/regulars"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          required
          maxLength={2048}
          data-autofocus
          {...form.getInputProps('url')}
        />
        <TextInput
          label="Description (optional)"
          description="What it is for."
          placeholder="Newsletter"
          maxLength={255}
          {...form.getInputProps('description')}
        />
        <div>
          <Radio.Group label="Events" {...form.getInputProps('which')}>
            <Stack gap="xs" mt={4}>
              <Radio value="all" label="All events" description="Also types that are added later." />
              <Radio value="some" label="Only some" description="Choose below what the other system needs." />
            </Stack>
          </Radio.Group>
          {which === 'some' && <TypeChoice chosen={types} onChange={(chosen) => form.setFieldValue('types', chosen)} />}
          {form.errors.types && (
            <Input.Error mt="xs" role="alert">
              {form.errors.types}
            </Input.Error>
          )}
        </div>
        <FormEnd form={form} onCancel={onCancel} disabled={of !== undefined && !form.isDirty()}>
          {of ? 'Save' : 'Create webhook'}
        </FormEnd>
      </Stack>
    </form>
  );
}

interface TypeChoiceProps {
  chosen: readonly string[];
  onChange: (types: string[]) => void;
}

function TypeChoice({ chosen, onChange }: TypeChoiceProps) {
  // In the order of the list. A type that this page does not know stays chosen.
  const choose = (types: Set<string>) =>
    onChange([
      ...knownTypes.filter((type) => types.has(type)),
      ...[...types].filter((type) => !knownTypes.includes(type)),
    ]);
  const change = (types: readonly string[], isOn: boolean) => {
    const next = new Set(chosen);
    for (const type of types) {
      if (isOn) next.add(type);
      else next.delete(type);
    }
    choose(next);
  };
  return (
    <div className={classes.groups}>
      {eventGroups.map((group) => (
        <TypeGroup key={group.name} group={group} chosen={chosen} change={change} />
      ))}
    </div>
  );
}

interface TypeGroupProps {
  group: EventTypeGroup;
  chosen: readonly string[];
  change: (types: readonly string[], isOn: boolean) => void;
}

function TypeGroup({ group: { name, types }, chosen, change }: TypeGroupProps) {
  const all = types.map(({ type }) => type);
  const isFull = all.every((type) => chosen.includes(type));
  return (
    <fieldset className={classes.group}>
      <legend>
        {name}
        {all.length > 1 && (
          <Button
            variant="subtle"
            size="compact-xs"
            aria-label={`${isFull ? 'None' : 'All'} of ${name}`}
            onClick={() => change(all, !isFull)}
          >
            {isFull ? 'None' : 'All'}
          </Button>
        )}
      </legend>
      <div className={classes.choices}>
        {types.map(({ type, name: label, description }) => (
          <Checkbox
            key={type}
            label={label}
            description={description}
            checked={chosen.includes(type)}
            onChange={(event) => change([type], event.currentTarget.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}
