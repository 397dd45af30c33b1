import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';

const Names = (description?: string) => t.Array(t.Text(100), description ? { description } : {});
export const ApiChange = t.Object(
  {
    id: t.Text(200, 'Its place on the page: `/changelog#<id>`.'),
    date: t.CalendarDate(),
    title: t.Text(255),
    text: t.Text(20_000, 'Paragraphs, lists and `code` as in Markdown.'),
    breaking: t.Nullable(t.Text(2000, 'What clients must do; null: what worked goes on working.')),
    added: Names('operationIds.'),
    changed: Names(),
    deprecated: Names(),
    removed: Names(),
    used: Names('Of these, what the key used in the last 90 days; empty when no key was asked for.'),
  },
  { title: 'ApiChange' },
);
export type ApiChange = t.Static<typeof ApiChange>;

export const changelog = family('changelog', 'What changed in the interface.', {
  listApiChanges: endpoint('GET /v1/changelog', 'List what changed in the interface', {
    scope: null,
    actors: 'credential',
    description:
      'Newest first; the same as the page /changelog and the feed /changelog.atom. With `used_by_key` or ' +
      '`used_by_me`, only what touches operations that the key used: of its own by a key, of their own and of their ' +
      'apps by developers, of all by admins and keys that hold `admin.requests.read`.',
    query: t.Object({
      since: t.Optional(t.CalendarDate('This day or later.')),
      used_by_key: t.Optional(t.Id()),
      used_by_me: t.Optional(t.Flag('By the key that asks.')),
    }),
    list: ApiChange,
    example: { query: { since: '2026-11-22' } },
  }),
});
