import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';

export const Organisation = t.Object(
  {
    id: t.Id('Value of the header Service-Id.'),
    name: t.Text(255),
    domain: t.Text(255, 'Host of the tenant; permalinks and the SCIM base begin with it.'),
    api_base_url: t.Url(),
    scim_base_urls: t.Object({ direct: t.Url(), 'idp-a': t.Url(), 'idp-b': t.Url() }),
    locale: t.Text(35),
    timezone: t.Text(64),
    content_approvals: t.Flag('Posts to spaces wait for approval.'),
    cors_origins: t.Array(t.Text(255)),
    created_at: t.Timestamp(),
    updated_at: t.Timestamp(),
  },
  { title: 'Organisation' },
);

export type Organisation = t.Static<typeof Organisation>;

export const organisations = family('organisations', 'The organisation itself.', {
  getOrganisation: endpoint('GET /v1/admin/organisation', 'Read the organisation', {
    scope: 'admin.organisation.read',
    roles: ['admin', 'it_admin', 'developer'],
    reply: Organisation,
    example: {},
  }),
  replaceOrganisation: endpoint('PUT /v1/admin/organisation', 'Replace the organisation’s settings', {
    scope: 'admin.organisation.write',
    roles: ['admin'],
    body: t.Object({
      name: t.RequiredText(255),
      locale: t.Optional(t.Language('BCP 47; default en.')),
      timezone: t.Optional(t.Timezone('IANA zone; default UTC.')),
      content_approvals: t.Optional(t.Flag('What people post to spaces waits for approval; default false.')),
      cors_origins: t.Optional(
        t.Array(t.RequiredText(255), {
          maxItems: 20,
          description:
            'Origins whose pages may call the API from a browser, like https://intranet.example.com: https, exactly, ' +
            'no paths. Kept when omitted.',
        }),
      ),
      domain: t.Optional(
        t.RequiredText(
          255,
          'Host that people open, with a port perhaps: all addresses begin with it from now on. Kept when omitted. ' +
            'It is taken to be served by https; http:// in front of it says that it is not.',
        ),
      ),
    }),
    reply: Organisation,
    errors: { domain_taken: 409 },
    example: {
      body: {
        name: 'Northwind Retail',
        locale: 'en',
        timezone: 'Europe/Berlin',
        cors_origins: ['https://portal.northwind.example'],
      },
    },
  }),
});
