import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { Audience, audienceErrors, NewAudience } from '../audiences/contract.ts';
import { ending, pictureErrors, rowContract } from '../pictures/contract.ts';

export const Billboard = t.Object(
  {
    id: t.Id(),
    title: t.Text(255),
    html_content: t.Text(200_000, 'Sanitised.'),
    image_url: t.Nullable(t.Url()),
    link: t.Nullable(t.Url('Where a click leads.')),
    starts_at: t.Timestamp(),
    ends_at: t.Nullable(t.Timestamp()),
    audience: Audience,
    ...ending,
  },
  { title: 'Billboard' },
);
const written = {
  title: t.RequiredText(255),
  html_content: t.Optional(t.Html(200_000)),
  image: t.Optional(t.Picture()),
  link: t.Optional(t.Nullable(t.Link('http or https.'))),
  starts_at: t.Optional(t.Timestamp('Default: now; on replace it is kept.')),
  ends_at: t.Optional(t.Nullable(t.Timestamp('Null: until it is deleted.'))),
  audience: t.Optional(NewAudience),
};
const row = rowContract(Billboard, written, {
  documented: 'multipart',
  errors: { ...pictureErrors, space_archived: 409, ...audienceErrors },
});
export type BillboardReplacement = t.Static<typeof row.replaces.body>;

export const billboards = family(
  'billboards',
  'Announcements with a picture at the top of the start page, for a time.',
  {
    listBillboards: endpoint('GET /v1/billboards', 'List billboards', {
      description:
        'Latest start first: those that are shown on some day from startDate to endDate. People see those for them ' +
        'that have started; moderators, admins and keys also see coming ones.',
      query: t.Object(t.days),
      list: Billboard,
      example: { query: { startDate: '2020-01-01', endDate: '2099-12-31' } },
    }),
    getBillboard: endpoint('GET /v1/billboards/{id}', 'Read a billboard', row.gets),
    createBillboard: endpoint('POST /v1/billboards', 'Create a billboard', {
      ...row.creates,
      example: {
        body: {
          title: 'Summer party',
          html_content: '<p>Bring your family.</p>',
          link: 'https://northwind.example/party',
          audience: { type: 'teams', teams: [2] },
        },
      },
    }),
    replaceBillboard: endpoint('PUT /v1/billboards/{id}', 'Replace a billboard', {
      ...row.replaces,
      description: 'What is omitted is cleared, but picture, starts_at and audience are kept.',
      example: { params: { id: 1 }, body: { title: 'Four new stores', html_content: '<p>We are growing.</p>' } },
    }),
    deleteBillboard: endpoint('DELETE /v1/billboards/{id}', 'Delete a billboard', row.deletes),
  },
);
