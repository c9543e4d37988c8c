import { Badge, Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { EmailDomain } from '#service/features/guests/domains/schema.ts';
import type { Paged } from '#service/shared/fields.ts';
import { getList } from '../../api/queries.ts';
import { useHasRole } from '../../session/session.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { EmptyState } from '../../ui/States.tsx';
import { RelativeTime } from '../../ui/Values.tsx';
import { DomainRuleForm } from './DomainRuleForm.tsx';
import { OwnersOnly } from './OwnersOnly.tsx';

const route = getRouteApi('/guard/accounts/$accountId/settings/email-domains');

export function EmailDomains() {
  return useHasRole('owner') ? <Domains /> : <OwnersOnly title="E-mail domains" />;
}

function Domains() {
  const { page } = route.useSearch();
  const navigate = route.useNavigate();
  const domains = useQuery(getList<Paged<EmailDomain>>('/email_domains', { page }));
  const [opened, vouching] = useDisclosure();
  return (
    <Page
      title="E-mail domains"
      lead="Shows which e-mail domains receive mail, from DNS or from your own rules, for all accounts. Common domains are built in."
      actions={<Button onClick={vouching.open}>Add a rule</Button>}
    >
      <Panel flush>
        <DataTable
          label="E-mail domains"
          rows={domains.data?.data}
          rowKey={({ domain }) => domain}
          error={domains.error}
          onRetry={domains.refetch}
          stale={domains.isPlaceholderData}
          empty={
            <EmptyState title="No domains yet">
              The service checks other domains when the first guest with such an address arrives.
            </EmptyState>
          }
          columns={[
            { title: 'Domain', render: ({ domain }) => domain },
            {
              title: 'Mail',
              render: ({ takes_mail }) => (
                <Badge color={takes_mail ? 'green' : 'red'}>{takes_mail ? 'Receives mail' : 'Rejected'}</Badge>
              ),
            },
            { title: 'Checked by', render: ({ vouched_for }) => (vouched_for ? 'Your rule' : 'DNS') },
            { title: 'Since', render: ({ checked_at }) => <RelativeTime at={checked_at} /> },
          ]}
        />
        <Pager of={domains.data} onPage={(page) => void navigate({ search: { page } })} />
      </Panel>
      <Modal opened={opened} onClose={vouching.close} title="Add a rule for a domain">
        <DomainRuleForm onClose={vouching.close} />
      </Modal>
    </Page>
  );
}
