import { jsonRoute, listRoute } from '../../../platform/http/route.ts';
import { NoFields } from '../../../shared/fields.ts';
import { listDomains, setDomainRule } from './manage.ts';
import { EmailDomain, NewEmailDomain } from './schema.ts';

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
      operationId: 'adminSetEmailDomain',
      action: 'email_domain.vouch',
      summary: 'Accept or reject an e-mail domain',
      description:
        'Addresses of the domain are accepted, or rejected with `takes_mail: false`, regardless of DNS. Every process applies it within ten seconds. Sent again, it replaces the decision.',
      input: NewEmailDomain,
      response: EmailDomain,
      status: 201,
      example: { input: { domain: example.domain }, response: example },
    },
    async (tx, { input, setSubject }) => {
      const known = await setDomainRule(tx, input.domain, input.takes_mail);
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
        'Lists the domains learnt from DNS and those that an owner decided, sorted by name. The built-in common domains are not listed.',
      input: NoFields,
      response: EmailDomain,
      example: { response: example },
    },
    (tx, { slice }) => listDomains(tx, slice),
  ),
];
