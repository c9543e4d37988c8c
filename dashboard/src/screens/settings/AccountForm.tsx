import { Select, Stack, Text, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { useAccount, useHasRole } from '../../session/session.ts';
import { FormEnd, useServerForm } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';
import { Panel } from '../../ui/Panel.tsx';
import { currentTime, timeZones } from './time-zones.ts';

/** The name and time zone of the account. Read-only for viewers. */
export function AccountForm() {
  const { name, time_zone, path } = useAccount();
  const mayChange = useHasRole('staff');
  const zones = useMemo(() => timeZones(time_zone), [time_zone]);
  const form = useServerForm({
    initialValues: { name, time_zone },
    send: (_values, changed) => api.patch(path, changed),
    onDone: async (_result, values) => {
      form.resetDirty(values);
      notify.success('The account is changed.');
      // Every page of the account shows times in its time zone.
      await refresh('/session', path);
    },
  });
  const chosen = form.getValues().time_zone;
  return (
    <Panel title="General">
      <form onSubmit={form.submit}>
        <Stack maw="28rem">
          <TextInput label="Name" required maxLength={255} readOnly={!mayChange} {...form.getInputProps('name')} />
          <Select
            label="Time zone"
            description={`It is ${currentTime(chosen)} there now.`}
            data={zones}
            searchable
            allowDeselect={false}
            readOnly={!mayChange}
            {...form.getInputProps('time_zone')}
            // Typed text replaces the current value.
            onFocus={(event) => event.currentTarget.select()}
            onClick={(event) => event.currentTarget.select()}
          />
          {mayChange && (
            <>
              <Text size="sm" c="dimmed">
                Times of visits are stored as local times, so a new time zone does not change them. The time zone sets
                what counts as today, the time of a visit that is sent without one, and the times in the dashboard.
              </Text>
              <FormEnd form={form} disabled={!form.isDirty()}>
                Save
              </FormEnd>
            </>
          )}
        </Stack>
      </form>
    </Panel>
  );
}
