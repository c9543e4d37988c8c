import { Select, Stack, Text, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import { api } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import { useAccount, useMay } from '../session/session.ts';
import { FormEnd, useServerForm } from '../ui/form.tsx';
import { Panel } from '../ui/Panel.tsx';
import { say } from '../ui/say.ts';
import { clockIn, timeZones } from './time-zones.ts';

/** The name and the clock. Who may not change them sees them. */
export function AccountForm() {
  const { name, time_zone, path } = useAccount();
  const mayChange = useMay('staff');
  const zones = useMemo(() => timeZones(time_zone), [time_zone]);
  const form = useServerForm({
    initialValues: { name, time_zone },
    send: (_values, changed) => api.patch(path, changed),
    onDone: async (_result, values) => {
      form.resetDirty(values);
      say.done('The account is changed.');
      // Days and times all over the account go by its clock.
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
            description={`It is ${clockIn(chosen)} there now.`}
            data={zones}
            searchable
            allowDeselect={false}
            readOnly={!mayChange}
            {...form.getInputProps('time_zone')}
            // What is typed is to stand in place of what was there.
            onFocus={(event) => event.currentTarget.select()}
            onClick={(event) => event.currentTarget.select()}
          />
          {mayChange && (
            <>
              <Text size="sm" c="dimmed">
                Times of visits are kept as the clock on the wall showed them, so changing the time zone moves none of
                them. From then on it decides what counts as today, which time a visit gets that is sent without one,
                and by which clock the dashboard shows when something was recorded.
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
