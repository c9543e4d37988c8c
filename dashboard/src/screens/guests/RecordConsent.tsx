import { Button, Checkbox, Fieldset, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { RecordConsent as Recorded } from '#service/features/guests/consent/schema.ts';
import type { StaffContact } from '#service/features/guests/contacts/schema.ts';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { useAccount } from '../../session/session.ts';
import { CharacterCount, FormEnd, useServerForm } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';
import { guestName, shownChannels } from './guest.ts';

/** Records a consent that a guest gave or withdrew in person. */
export function RecordConsent({ guest }: { guest: StaffContact }) {
  const [opened, window] = useDisclosure();
  return (
    <>
      <Button variant="default" size="xs" onClick={window.open}>
        Record a change
      </Button>
      <Modal opened={opened} onClose={window.close} title={`What did ${guestName(guest)} ask for?`}>
        <ConsentForm guest={guest} onClose={window.close} />
      </Modal>
    </>
  );
}

const maxLength = 500;

function ConsentForm({ guest, onClose }: { guest: StaffContact; onClose: () => void }) {
  const { path } = useAccount();
  const form = useServerForm({
    initialValues: {
      allow_email: Boolean(guest.allow_email),
      allow_sms: Boolean(guest.allow_sms),
      allow_call: Boolean(guest.allow_call),
      allow_snail_mail: Boolean(guest.allow_snail_mail),
      reason: '',
    },
    validate: { reason: (reason) => (reason.trim() === '' ? 'Enter how the guest asked for it.' : null) },
    // Send only the changed boxes. The other consents may have changed since this form was opened.
    send: ({ reason }, changed) =>
      api.post(`${path}/contacts/${guest.id}/consent`, { ...changed, reason } satisfies Recorded),
    onDone: async () => {
      await refresh(path);
      notify.success('The consent is recorded.');
      onClose();
    },
  });
  const isChanged = shownChannels.some(({ flag }) => form.isDirty(flag));
  return (
    <form onSubmit={form.submit} noValidate>
      <Stack>
        <Fieldset
          variant="unstyled"
          p={0}
          m={0}
          legend={
            <Text component="span" size="sm" fw={500}>
              May be contacted by
            </Text>
          }
        >
          <Stack gap="xs" mt="xs">
            {shownChannels.map(({ flag, name }) => (
              <Checkbox key={flag} label={name} {...form.getInputProps(flag, { type: 'checkbox' })} />
            ))}
          </Stack>
        </Fieldset>
        <div>
          <Textarea
            label="How the guest asked for it"
            description="Stored with the change for good. It can’t be edited later."
            placeholder="Asked at the bar to get no more texts."
            required
            autosize
            minRows={2}
            maxLength={maxLength}
            {...form.getInputProps('reason')}
          />
          <CharacterCount text={form.getValues().reason} max={maxLength} />
        </div>
        <Text size="sm" c="dimmed">
          Record only what the guest asked for.
        </Text>
        <FormEnd
          form={form}
          onCancel={onClose}
          disabled={!isChanged}
          aside={
            !isChanged && (
              <Text size="sm" c="dimmed" mr="auto">
                No changes yet.
              </Text>
            )
          }
        >
          Record
        </FormEnd>
      </Stack>
    </form>
  );
}
