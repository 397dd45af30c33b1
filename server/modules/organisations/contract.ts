import {
  endpoint,
  Flag,
  family,
  Id,
  Language,
  Optional,
  RequiredText,
  Shape,
  Text,
  Timestamp,
  Timezone,
  Url,
} from '../../kernel/contract/contract.ts';

export const Organisation = Shape(
  {
    id: Id('Value of the header Service-Id.'),
    name: Text(255),
    domain: Text(255, 'Host of the tenant; permalinks and the SCIM base begin with it.'),
    api_base_url: Url(),
    scim_base_urls: Shape({ direct: Url(), 'idp-a': Url(), 'idp-b': Url() }),
    locale: Text(35),
    timezone: Text(64),
    content_approvals: Flag('Posts to spaces wait for approval.'),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'Organisation' },
);

export const organisations = family('organisations', 'The organisation itself.', {
  getOrganisation: endpoint({
    method: 'GET',
    path: '/v1/admin/organisation',
    summary: 'Read the organisation',
    scope: 'admin.organisation.read',
    roles: ['admin', 'it_admin', 'developer'],
    reply: Organisation,
    example: {},
  }),
  replaceOrganisation: endpoint({
    method: 'PUT',
    path: '/v1/admin/organisation',
    summary: 'Replace the organisation’s settings',
    scope: 'admin.organisation.write',
    roles: ['admin'],
    body: Shape({
      name: RequiredText(255),
      locale: Optional(Language('BCP 47; default en.')),
      timezone: Optional(Timezone('IANA zone; default UTC.')),
      content_approvals: Optional(Flag('What people post to spaces waits for approval; default false.')),
    }),
    documented: 'json',
    reply: Organisation,
    example: { body: { name: 'Northwind Retail', locale: 'en', timezone: 'Europe/Berlin' } },
  }),
});
