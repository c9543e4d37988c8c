import { Radio, Stack, TextInput } from '@mantine/core';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { FormEnd, useServerForm } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';

/** Adds a rule for a domain, which overrides DNS. */
export function DomainRuleForm({ onClose }: { onClose: () => void }) {
  const form = useServerForm({
    initialValues: { domain: '', takes_mail: 'yes' },
    send: ({ domain, takes_mail }) => api.post('/email_domains', { domain, takes_mail: takes_mail === 'yes' }),
    onDone: async (_result, { domain, takes_mail }) => {
      await refresh('/email_domains');
      notify.success(`${domain} ${takes_mail === 'yes' ? 'is accepted' : 'is rejected'} from now on.`);
      onClose();
    },
  });
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <TextInput
          label="Domain"
          description="The part of an address after the @."
          placeholder="harbour-group.co.uk"
          required
          maxLength={253}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('domain')}
        />
        <Radio.Group label="Addresses of this domain" {...form.getInputProps('takes_mail')}>
          <Stack gap="xs" mt="xs">
            <Radio value="yes" label="Accept them, whatever DNS says" />
            <Radio value="no" label="Reject them, whatever DNS says" />
          </Stack>
        </Radio.Group>
        <FormEnd form={form} onCancel={onClose}>
          Add rule
        </FormEnd>
      </Stack>
    </form>
  );
}
