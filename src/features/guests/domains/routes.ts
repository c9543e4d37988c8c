import { jsonRoute, listRoute } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { EmailDomain, NewEmailDomain } from './schema.ts';
import { listDomains, vouchForDomain } from './vouch.ts';

const example = {
  domain: 'harbour-group.co.uk',
  takes_mail: true,
  vouched_for: true,
  checked_at: '2026-03-01T12:30:00.000Z',
};
const shared = {
  access: 'admin',
  role: 'owner',
  tag: 'Manage e-mail domains',
  path: '/admin/v1/email_domains',
} as const;

export const domainRoutes = [
  jsonRoute(
    {
      ...shared,
      method: 'POST',
      operationId: 'adminVouchForEmailDomain',
      action: 'email_domain.vouch',
      summary: 'Vouch for an e-mail domain',
      description:
        'It is on the list from then on, or refused, whatever DNS says. Every process knows within ten seconds.',
      input: NewEmailDomain,
      response: EmailDomain,
      status: 201,
      example: { input: { domain: example.domain }, response: example },
    },
    async (tx, { input, setSubject }) => {
      const known = await vouchForDomain(tx, input.domain, input.takes_mail);
      setSubject(known.domain);
      return known;
    },
  ),
  listRoute(
    {
      ...shared,
      method: 'GET',
      operationId: 'adminListEmailDomains',
      summary: 'List e-mail domains',
      description:
        'What was learnt from DNS, and what was vouched for; the common domains that come along are not in it.',
      input: NoFields,
      response: EmailDomain,
      example: { response: example },
    },
    (tx, { slice }) => listDomains(tx, slice),
  ),
];
