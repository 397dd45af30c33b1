// What the people of a made-up company post, say and like: updates, articles, kudos and events. As in seed.ts,
// everything is computed from a row's number.
import { isoOfMicros } from '../kernel/clock.ts';
import { plurals, postedNouns } from '../modules/content/contract.ts';
import { reach } from '../modules/content/reach.ts';
import { slugOf } from '../modules/content/slug.ts';
import { fraction, htmlOf, pick, sentences, vocabulary } from './made-up.ts';

export const postTables = [
  ...postedNouns.flatMap((noun) => [plurals[noun], `${noun}_audiences`]),
  'kudos_recipients',
  'comments',
  'likes',
];
const HOUR = 3_600_000_000;
const YEAR = 365 * 24 * HOUR;
/** Of ten posts. */
const shares = { update: 4, article: 2, kudos: 2, event: 2 } as const;
const thanks = ['helped me with', 'stayed late for', 'explained', 'took over', 'never gave up on'];
const answers = [
  'Thank you, that helps our shift.',
  'Does this hold for part-time colleagues too?',
  'Yes, for everybody.',
  'We tried it last week, and it works.',
  'Well done, all of you!',
  'Who can I ask about this?',
  'I bring it up in our next round.',
];

export interface Company {
  now: number;
  people: readonly number[];
  spaces: readonly number[];
  visibilityOf(space: number): 'public' | 'private' | 'hidden';
  /** Number of the first post of each table. */
  first(table: string): Promise<number>;
  reserve(table: string, count: number): Promise<number[]>;
  load(
    table: string,
    count: number,
    columns: Record<string, (n: number) => unknown>,
    isCounted?: boolean,
  ): Promise<void>;
}

export async function seedPosts(company: Company, posts: number): Promise<void> {
  let left = posts;
  for (const [place, noun] of postedNouns.entries()) {
    const count = place === postedNouns.length - 1 ? left : Math.floor((posts * shares[noun]) / 10);
    left -= count;
    if (count > 0) await seedNoun(company, noun, count);
  }
}

async function seedNoun(company: Company, noun: keyof typeof shares, count: number) {
  const { now, people, spaces, load } = company;
  const table = plurals[noun];
  const first = await company.first(table);
  const ids = await company.reserve(table, count);
  const number = (n: number) => first + n;
  const author = (n: number) => Math.floor(fraction(number(n), 30) * people.length);
  const other = (n: number, k: number) =>
    people[(author(n) + 1 + k + Math.floor(fraction(number(n), 31) * 7)) % people.length];
  const topic = (n: number) => pick(vocabulary.topics, number(n), 32);
  const subject = (n: number) => pick(vocabulary.subjects, number(n), 33);
  const title = (n: number) => `${topic(n)}: ${subject(n)}`;
  const said = (n: number) => `${pick(sentences, number(n), 34)} ${pick(sentences, number(n), 35)}`;
  const thanked = (n: number) => `Thank you! You ${pick(thanks, number(n), 36)} ${title(n)}.`;
  const micros = (n: number) => Math.floor(now - ((count - n) / (count + 1)) * 3 * YEAR);
  const at = (n: number, hours = 0) => isoOfMicros(micros(n) + Math.floor(hours * HOUR));

  const space = (n: number) => Math.floor(fraction(number(n), 37) * spaces.length);
  const isGlobal = (n: number) => fraction(number(n), 38) < 0.6;
  const likes = (n: number) => Math.min(Math.floor(fraction(number(n), 39) * 6), people.length);
  const comments = (n: number) => Math.floor(fraction(number(n), 40) * 4);
  const text = noun === 'kudos' ? thanked : said;
  const own: Record<typeof noun, Record<string, (n: number) => unknown>> = {
    update: { text, html: (n) => `<p>${text(n)}</p>` },
    kudos: { text, html: (n) => `<p>${text(n)}</p>` },
    article: {
      title,
      subtitle: (n) => pick(sentences, number(n), 41),
      html_content: (n) => htmlOf(number(n)),
      slug: (n) => `${slugOf(title(n))}-seed-${number(n)}`,
      published_at: at,
    },
    event: {
      title,
      description: said,
      html_content: (n) => `<p>${said(n)}</p>`,
      starts_at: (n) => at(n, 14 * 24),
      ends_at: (n) => at(n, 14 * 24 + 1 + (number(n) % 3)),
      timezone: (n) => pick(vocabulary.timezones, number(n), 42),
    },
  };
  await load(
    table,
    count,
    {
      id: (n) => ids[n],
      external_id: (n) => `SEED-${number(n)}`,
      ...own[noun],
      language: () => 'en',
      creator_id: (n) => people[author(n)],
      audience_type: (n) => (isGlobal(n) ? 'Global' : 'spaces'),
      list_class: (n) => (isGlobal(n) ? reach.everybody : reach[company.visibilityOf(space(n))]),
      likes_count: likes,
      comments_count: comments,
      created_at: at,
      updated_at: at,
    },
    true,
  );

  /** Rows that hang on the posts: `many` of each. */
  const hanging = (many: (n: number) => number) =>
    Array.from({ length: count }, (_, n) => n).flatMap((n) =>
      Array.from({ length: many(n) }, (_, k) => ({ n, k, content_id: ids[n] })),
    );
  const loadHanging = (
    into: string,
    rows: ReturnType<typeof hanging>,
    columns: Record<string, (row: { n: number; k: number; content_id: number | undefined }) => unknown>,
  ) =>
    load(
      into,
      rows.length,
      Object.fromEntries(
        Object.entries(columns).map(([name, value]) => [name, (row: number) => value(rows[row] as (typeof rows)[0])]),
      ),
    );
  const content = { kind: () => noun, content_id: (row: { content_id: number | undefined }) => row.content_id };
  await loadHanging(
    `${noun}_audiences`,
    hanging((n) => (isGlobal(n) ? 0 : 1)),
    {
      [`${noun}_id`]: (row) => row.content_id,
      space_id: ({ n }) => spaces[space(n)],
      posted_at: ({ n }) => at(n),
    },
  );
  if (noun === 'kudos')
    await loadHanging(
      'kudos_recipients',
      hanging(() => 1),
      {
        kudos_id: (row) => row.content_id,
        user_id: ({ n, k }) => other(n, k),
      },
    );
  await loadHanging('comments', hanging(comments), {
    ...content,
    text: ({ n, k }) => pick(answers, number(n) + k, 43),
    creator_id: ({ n, k }) => other(n, k),
    created_at: ({ n, k }) => at(n, 1 + k),
    updated_at: ({ n, k }) => at(n, 1 + k),
  });
  await loadHanging('likes', hanging(likes), {
    ...content,
    user_id: ({ n, k }) => other(n, k),
    created_at: ({ n, k }) => at(n, 0.5 + k),
  });
}
