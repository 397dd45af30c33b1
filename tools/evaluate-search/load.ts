// Brings the corpus into an organisation: its rows, many at once, and then what is kept of lists. The search finds out
// by itself that they are there.
import { isoOfMicros } from '../../server/kernel/clock.ts';
import type { Db } from '../../server/kernel/data/db.ts';
import { rebuildList } from '../../server/kernel/data/list-blocks.ts';
import { sql } from '../../server/kernel/data/sql.ts';
import { htmlOf } from '../../server/kernel/html/html.ts';
import { lists } from '../../server/modules.ts';
import type { Corpus } from './corpus.ts';
import type { Random } from './words.ts';

const AT_ONCE = 1000;
const THREE_YEARS_US = 3 * 365 * 86_400_000_000;

/** Ids, in the order of the corpus. */
export async function load(db: Db, organisation_id: number, { pages, people }: Corpus, now: number, random: Random) {
  const tx = db.inOrganisation(organisation_id);
  const creator_id = await tx.value<number>(sql`select id from users where organisation_id = $1 order by id limit 1`);
  const at = () => isoOfMicros(now - Math.floor((random(1_000_000) / 1_000_000) * THREE_YEARS_US));
  await insert(pages.length, (from, to) => {
    const rows = pages.slice(from, to).map(({ title, body, language }, n) => {
      return { external_id: from + n, title, html: htmlOf(body), language, slug: `text-${from + n}`, at: at() };
    });
    return tx.rows(sql`
      insert into pages (
        organisation_id, external_id, title, html_content, language, slug, creator_id, created_at, updated_at)
      select $1, r.external_id, r.title, r.html, r.language, r.slug, ${creator_id}::bigint, r.at, r.at
      from json_to_recordset(${JSON.stringify(rows)}::json) as r(
        external_id bigint, title text, html text, language text, slug text, at timestamptz)`);
  });
  await insert(people.length, (from, to) => {
    const rows = people.slice(from, to).map(({ first_name, last_name }, n) => {
      return {
        external_id: `P-${from + n}`,
        email: `person.${from + n}@texts.example`,
        first_name,
        last_name,
        at: at(),
      };
    });
    return tx.rows(sql`
      insert into users (organisation_id, external_id, email, first_name, last_name, created_at, updated_at)
      select $1, r.external_id, r.email, r.first_name, r.last_name, r.at, r.at
      from json_to_recordset(${JSON.stringify(rows)}::json) as r(
        external_id text, email text, first_name text, last_name text, at timestamptz)`);
  });
  for (const list of lists) await rebuildList(tx, list);
  await db.installation.rows('vacuum (analyze) pages, users');
  return {
    page: await tx.values<number>(sql`
      select id from pages where organisation_id = $1 and external_id is not null order by external_id`),
    user: await tx.values<number>(sql`
      select id from users where organisation_id = $1 and external_id like 'P-%'
      order by substring(external_id from 3)::int`),
  };
}

async function insert(count: number, some: (from: number, to: number) => Promise<unknown>) {
  for (let from = 0; from < count; from += AT_ONCE) await some(from, Math.min(count, from + AT_ONCE));
}
