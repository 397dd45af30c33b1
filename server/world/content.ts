// What people of Northwind wrote: pages, posts, articles, events, and what was said of them.
import type { Tx } from '../kernel/data/db.ts';
import type { Values } from '../kernel/data/rows.ts';
import { htmlOf } from '../kernel/html/html.ts';
import { articleFamily } from '../modules/articles/family.ts';
import { archiveArticle, publishDue } from '../modules/articles/states.ts';
import { everybody } from '../modules/audiences/access.ts';
import { insertComment } from '../modules/comments/queries.ts';
import type { ContentNoun } from '../modules/content/contract.ts';
import type { ContentFamily } from '../modules/content/family.ts';
import { slugOf } from '../modules/content/slug.ts';
import { insertAnnounced, insertContent, type NewRow } from '../modules/content/statements.ts';
import { upsertDraft } from '../modules/drafts/queries.ts';
import { eventFamily } from '../modules/events/family.ts';
import { replaceAnswer } from '../modules/events/rsvps.ts';
import { insertLike } from '../modules/likes/queries.ts';
import { pageFamily } from '../modules/pages/family.ts';
import { insertPoll } from '../modules/polls/queries.ts';
import { postFamilies } from '../modules/posts/family.ts';
import { replaceRecipients } from '../modules/posts/queries.ts';

/** Ids of people, a team and spaces. */
export type Cast = Record<'ada' | 'ben' | 'dmitri' | 'emi' | 'sales' | 'news' | 'stores' | 'berlin', number>;

const inSpace = (id: number) => ({ type: 'spaces' as const, spaces: [id], teams: [] });
type By = Partial<NewRow> & { creator_id: number };
const post = (tx: Tx, family: ContentFamily, values: Values, by: By) =>
  insertContent(tx, family, values, { created_at: undefined, audience: everybody, ...by });
const words = (text: string) => ({ text, html: htmlOf(text) });

/** Returns the update that the campaign belongs to. */
export async function fillContent(tx: Tx, cast: Cast): Promise<number> {
  const welcome = await fillPages(tx, cast);
  const { opening, nightShift } = await fillPosts(tx, cast);
  const berlinOpens = await fillArticles(tx, cast);
  const { ben, dmitri, emi } = cast;
  const remark = (kind: ContentNoun, content_id: number, text: string, external_id: string, creator_id: number) =>
    insertComment(tx, { kind, content_id, parent_id: null, external_id, text, creator_id, created_at: undefined });
  await upsertDraft(tx, cast.ada, 'plans', { text: 'Plans for the summer' }, 0);
  await remark('page', welcome, 'Where is the staff entrance?', 'C-1', emi);
  await remark('update', opening, 'Looking forward to it!', 'C-2', dmitri);
  await remark('kudos', nightShift, 'Well deserved.', 'C-3', emi);
  await remark('article', berlinOpens, 'Shall we bring cake?', 'C-4', ben);
  await insertLike(tx, 'update', opening, emi);
  return opening;
}

async function fillPages(tx: Tx, { ada, ben, news }: Cast): Promise<number> {
  const page = async (
    title: string,
    external_id: number,
    html_content: string,
    more: Values = {},
    creator_id = ada,
  ) => {
    const values = { title, external_id, html_content, slug: slugOf(title), ...more };
    const json = await insertAnnounced(tx, pageFamily, values, {
      creator_id,
      created_at: undefined,
      audience: everybody,
    });
    return (JSON.parse(json) as { id: number }).id;
  };
  const welcome = await page('Welcome to Northwind', 100, '<h2>Hello</h2><p>Where to find what.</p>', {
    space_id: news,
  });
  const handbook = await page('Handbook', 101, '<p>How we work.</p>');
  await page('Holidays', 102, '<p>30 days a year.</p>');
  await page('Working hours', 103, '<table><tr><td>Stores</td><td>9 to 20</td></tr></table>', { parent_id: handbook });
  await page('Price list (draft)', 104, '<p>Not yet agreed.</p>', { is_draft: true }, ben);
  return welcome;
}

async function fillPosts(tx: Tx, { ben, dmitri, emi, sales, stores, berlin }: Cast) {
  const { update, kudos } = postFamilies;
  const waiting = { audience: inSpace(stores), initial: { approval: 'pending' } };
  const first = { ...words('The Berlin store opens on Monday.'), external_id: 'U-1', requires_acknowledgement: true };
  const opening = await post(tx, update, first, { creator_id: ben });
  await insertPoll(tx, opening, { options: ['I am coming', 'I cannot come'] });
  const tags = { ...words('New price tags have arrived.'), external_id: 'U-2' };
  await post(tx, update, tags, { creator_id: dmitri, ...waiting });
  const targets = { ...words('Targets for December are in the handbook.'), external_id: 'U-3' };
  await post(tx, update, targets, { creator_id: ben, audience: inSpace(berlin) });
  const thanks = { ...words('Thank you for the night shift!'), external_id: 'K-1', requires_acknowledgement: true };
  const nightShift = await post(tx, kudos, thanks, { creator_id: ben });
  await replaceRecipients(tx, nightShift, { users: [dmitri], teams: [sales] });
  const praise = { ...words('Great window display.'), external_id: 'K-2' };
  const display = await post(tx, kudos, praise, { creator_id: emi, ...waiting });
  await replaceRecipients(tx, display, { users: [dmitri], teams: [] });
  return { opening, nightShift };
}

async function fillArticles(tx: Tx, { ada, ben, news }: Cast): Promise<number> {
  const article = (
    title: string,
    external_id: string,
    html_content: string,
    more: Values = {},
    by: Partial<NewRow> = {},
  ) =>
    post(
      tx,
      articleFamily,
      { title, external_id, html_content, slug: slugOf(title), ...more },
      { creator_id: ada, ...by },
    );
  const berlinOpens = await article('Berlin opens', 'A-1', '<p>Our newest store opens on Monday.</p>', {
    subtitle: 'Monday, nine o’clock',
    requires_acknowledgement: true,
  });
  const unwritten = { creator_id: ben, audience: inSpace(news) };
  await article('Plans for spring (draft)', 'A-2', '<p>Not yet agreed.</p>', { is_draft: true }, unwritten);
  const past = await article('Summer party', 'A-3', '<p>Thank you for coming.</p>');
  await publishDue(tx);
  await archiveArticle(tx, past);
  return berlinOpens;
}

/** A town hall in two weeks and a workshop of the store teams the day after. */
export async function fillEvents(tx: Tx, { ada, ben, dmitri, emi, stores }: Cast) {
  const [day, hour] = [86_400_000, 3_600_000];
  const from = Math.ceil(Date.parse(tx.now()) / day + 14) * day + 9 * hour;
  const between = (start: number, end: number) => ({
    starts_at: new Date(start).toISOString(),
    ends_at: new Date(end).toISOString(),
    timezone: 'Europe/Berlin',
  });
  const description = 'The year so far, and your questions.';
  const meeting = {
    ...between(from, from + 2 * hour),
    ...{ title: 'Town hall', external_id: 'EV-1', location: 'Canteen, Berlin', capacity: 120 },
    ...{ description, html_content: htmlOf(description) },
  };
  const townHall = await post(tx, eventFamily, meeting, { creator_id: ada });
  await replaceAnswer(tx, townHall, ben, 'going');
  await replaceAnswer(tx, townHall, dmitri, 'maybe');
  await insertComment(tx, {
    ...{ kind: 'event', content_id: townHall, parent_id: null, external_id: 'C-5' },
    ...{ text: 'Can we join from the store?', creator_id: emi, created_at: undefined },
  });
  const workshop = { title: 'Window display workshop', external_id: 'EV-2' };
  const times = between(from + day, from + day + 4 * hour);
  await post(tx, eventFamily, { ...times, ...workshop }, { creator_id: ben, audience: inSpace(stores) });
}
