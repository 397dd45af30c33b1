import {
  days,
  endpoint,
  family,
  Id,
  Link,
  Nullable,
  Optional,
  Picture,
  RequiredText,
  Shape,
  type Static,
  Text,
  Timestamp,
  Url,
} from '../../kernel/contract/contract.ts';
import { Audience, audienceErrors, NewAudience } from '../audiences/contract.ts';

export const Billboard = Shape(
  {
    id: Id(),
    title: Text(255),
    html_content: Text(200_000, 'Sanitised.'),
    image_url: Nullable(Url()),
    link: Nullable(Url('Where a click leads.')),
    starts_at: Timestamp(),
    ends_at: Nullable(Timestamp()),
    audience: Audience,
    created_at: Timestamp(),
    updated_at: Timestamp(),
    permalink: Url(),
  },
  { title: 'Billboard' },
);
const written = {
  title: RequiredText(255),
  html_content: Optional(Text(200_000)),
  image: Optional(Picture()),
  link: Optional(Nullable(Link('http or https.'))),
  starts_at: Optional(Timestamp('Default: now; on replace it is kept.')),
  ends_at: Optional(Nullable(Timestamp('Null: until it is deleted.'))),
  audience: Optional(NewAudience),
};
const BillboardReplacement = Shape(written);
export type BillboardReplacement = Static<typeof BillboardReplacement>;
const errors = { image_invalid: 400, space_archived: 409, ...audienceErrors } as const;

export const billboards = family(
  'billboards',
  'Announcements with a picture at the top of the start page, for a time.',
  {
    listBillboards: endpoint({
      method: 'GET',
      path: '/v1/billboards',
      summary: 'List billboards',
      description:
        'Latest start first: those that are shown on some day from startDate to endDate. People see those for them that have started; moderators, admins and keys also see coming ones.',
      scope: 'billboards.*.read',
      query: Shape(days),
      list: Billboard,
      example: { query: { startDate: '2020-01-01', endDate: '2099-12-31' } },
    }),
    getBillboard: endpoint({
      method: 'GET',
      path: '/v1/billboards/{id}',
      summary: 'Read a billboard',
      scope: 'billboards.*.read',
      reply: Billboard,
      example: { params: { id: 1 } },
    }),
    createBillboard: endpoint({
      method: 'POST',
      path: '/v1/billboards',
      summary: 'Create a billboard',
      scope: 'billboards.*.write',
      status: 201,
      body: Shape({ ...written, created_at: Optional(Timestamp('For imports; never in the future.')) }),
      documented: 'multipart',
      reply: Billboard,
      errors,
      example: {
        body: {
          title: 'Summer party',
          html_content: '<p>Bring your family.</p>',
          link: 'https://northwind.example/party',
          audience: { type: 'teams', teams: [2] },
        },
      },
    }),
    replaceBillboard: endpoint({
      method: 'PUT',
      path: '/v1/billboards/{id}',
      summary: 'Replace a billboard',
      description: 'What is omitted is cleared, but picture, starts_at and audience are kept.',
      scope: 'billboards.*.write',
      body: BillboardReplacement,
      documented: 'multipart',
      reply: Billboard,
      errors,
      example: { params: { id: 1 }, body: { title: 'Four new stores', html_content: '<p>We are growing.</p>' } },
    }),
    deleteBillboard: endpoint({
      method: 'DELETE',
      path: '/v1/billboards/{id}',
      summary: 'Delete a billboard',
      scope: 'billboards.*.write',
      reply: Shape({ id: Id() }),
      example: { params: { id: 1 } },
    }),
  },
);
