// The worker: takes one notice after the other and writes what it says into the ledger, each in a transaction of its
// own. A node that dies takes nothing away; two nodes take different notices.
//
//   notice ── whom is it for, and why?         audience.ts
//          ── do they see the thing now?       seenBy, as every read asks
//          ── do they want to be told?         settings, mutes, and nobody hears of their own act
//          ── is it new to them?               one row for each person, thing and topic, each reason once
//          ── a hint to open pages, a push     after the commit
import type { Tx } from '../../kernel/data/db.ts';
import { nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Chore } from '../../kernel/work/jobs.ts';
import { tellNotified } from '../chat/hints.ts';
import { findComment } from '../comments/queries.ts';
import { seenBy } from '../content/access.ts';
import { type ContentNoun, plurals } from '../content/contract.ts';
import { claimedMentions } from '../mentions/queries.ts';
import { audienceOfComment, audienceOfContent, isNews, isOut } from './audience.ts';
import { countAttempt, type Notice, takeNotice } from './notices.ts';
import { pushed } from './pushing.ts';
import { reasons } from './reasons.ts';
import { holdsBadge, knowsOf } from './things.ts';

/** Others' work is not kept waiting longer. */
const TURN_MS = 5000;

export const tellPeople: Chore = async (tx) => {
  const failures: unknown[] = [];
  for (const until = Date.now() + TURN_MS; Date.now() < until; ) {
    let taken: Notice | undefined;
    try {
      taken = await tx.transaction(async (inside) => {
        const notice = await takeNotice(inside);
        taken = notice;
        if (notice) await tell(inside, notice);
        return notice;
      });
      if (!taken) break;
    } catch (error) {
      if (!taken) throw error;
      await countAttempt(tx, taken.id);
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
};

/** Of whom and of what people are told. */
interface Telling {
  thing: { type: string; id: number };
  /** SQL: user_id, reason, id, actor_id. */
  audience: Sql;
  /** CTE before it. */
  before?: Sql;
  /** SQL: the person `u` may see it. */
  isSeen: Sql;
  /** SQL on `u` and the reason `r`: they do not want to hear of it. */
  isMuted?: Sql;
  /** Who did it. */
  actor_ids: readonly number[];
}

function tell(tx: Tx, notice: Notice) {
  switch (notice.kind) {
    case 'content':
    case 'published':
      return tellOfContent(tx, notice);
    case 'comment':
    case 'comment_changed':
      return tellOfComment(tx, notice);
    case 'badge':
      return tellOfBadge(tx, notice);
    default:
      return tellOfSpace(tx, notice);
  }
}

async function tellOfContent(tx: Tx, notice: Notice) {
  const { thing_id: id, actor_id } = notice;
  const noun = notice.noun as ContentNoun;
  // What an app writes it writes in its author's name.
  const found = await tx.row<{ acted_id: number; is_out: boolean }>(sql`
    select ${isOut(noun)} as is_out, coalesce((
      select u.id from users u where u.organisation_id = $1 and u.id = ${actor_id}::bigint and u.kind = 'person'),
      t.creator_id) as acted_id
    from ${trusted(plurals[noun])} t where t.organisation_id = $1 and t.id = ${id}`);
  if (!found) return;
  const claimed = claimedMentions(noun, id, trusted(String(found.is_out)));
  const own = { before: sql`claimed as (${claimed}),`, audience: audienceOfContent(notice, noun, tx.now()) };
  await put(tx, notice, { ...ofContent(tx, noun, id), ...own, actor_ids: [found.acted_id] });
}

async function tellOfComment(tx: Tx, notice: Notice) {
  const comment = await findComment(tx, notice.thing_id);
  if (!comment) return;
  const { id, kind: noun, content_id, creator_id } = comment;
  const isNew = notice.kind === 'comment';
  const isRecent = sql`exists (
    select from comments c
    where c.organisation_id = $1 and c.id = ${id} and ${isNews(trusted('c.created_at'), tx.now())})`;
  const audience = audienceOfComment(comment, noun, isNew);
  await put(tx, notice, {
    ...ofContent(tx, noun, content_id),
    before: sql`claimed as (${claimedMentions('comment', id)}),`,
    audience: isNew ? sql`select * from (${audience}) a where ${isRecent}` : audience,
    actor_ids: [creator_id, notice.actor_id ?? creator_id],
  });
}

const named = ({ user_ids }: Notice) => sql`unnest(${user_ids ?? []}::bigint[])`;

const tellOfBadge = (tx: Tx, notice: Notice) =>
  put(tx, notice, {
    thing: { type: 'badge', id: notice.thing_id },
    audience: sql`
      select n.user_id, 'badge' as reason, ${notice.id}::bigint as id, null::bigint as actor_id
      from ${named(notice)} n(user_id)
      join badge_users h on h.organisation_id = $1 and h.badge_id = ${notice.thing_id} and h.user_id = n.user_id
        and ${isNews(trusted('h.created_at'), tx.now())}`,
    isSeen: holdsBadge(sql`${notice.thing_id}`, trusted('u.id')),
    actor_ids: [],
  });

const tellOfSpace = (tx: Tx, notice: Notice) => {
  const { kind, thing_id: id, actor_id } = notice;
  return put(tx, notice, {
    thing: { type: 'space', id },
    audience: sql`
      select m.user_id, ${kind === 'role_given' ? kind : 'added'}::text as reason, ${notice.id}::bigint as id,
        ${actor_id}::bigint as actor_id
      from ${named(notice)} n(user_id)
      join space_members m on m.organisation_id = $1 and m.space_id = ${id} and m.user_id = n.user_id`,
    isSeen: sql`exists (
      select from spaces s where s.organisation_id = $1 and s.id = ${id} and ${knowsOf(tx)})`,
    actor_ids: [actor_id ?? 0],
  });
};

/** What is asked of everybody about content. */
function ofContent(tx: Tx, noun: ContentNoun, id: number) {
  const mute = trusted(`from notification_mutes x
        where x.organisation_id = $1 and x.user_id = u.id and (x.level = 'none' or not r.is_personal)`);
  const spaces =
    noun === 'page'
      ? sql`select t.space_id from pages t where t.organisation_id = $1 and t.id = ${id} and t.space_id is not null`
      : sql`
        select a.space_id from ${trusted(`${noun}_audiences`)} a
        where a.organisation_id = $1 and a.${trusted(`${noun}_id`)} = ${id} and a.space_id is not null`;
  const isSpaceMuted = sql`exists (select ${mute} and x.thing_type = 'space' and x.thing_id = p.space_id)`;
  return {
    thing: { type: noun, id },
    isSeen: sql`exists (
      select from ${trusted(plurals[noun])} t
      where t.organisation_id = $1 and t.id = ${id} and ${seenBy(tx, noun)})`,
    isMuted: sql`(
      exists (select ${mute} and x.thing_type = ${noun} and x.thing_id = ${id})
      or coalesce((select bool_and(${isSpaceMuted}) from (${spaces}) p), false))`,
  };
}

const listed = trusted(
  Object.entries(reasons)
    .map(([reason, { kind, topic, ...told }], n) => {
      const [isPersonal, isDuty] = ['isPersonal' in told, 'isDuty' in told];
      return `('${reason}', '${kind}', '${topic}', ${n}, ${isPersonal}, ${isDuty})`;
    })
    .join(', '),
);
/** The latest are kept. */
const REASONS_MAX = 30;

async function put(tx: Tx, { id: notice_id }: Notice, telling: Telling) {
  const { thing, audience, before = nothing, isSeen, isMuted = trusted('false'), actor_ids } = telling;
  const now = tx.now();
  const told = await tx.values<number>(sql`
    with ${before}
    told as (
      select distinct on (u.id, r.topic) u.id as user_id, r.topic,
        jsonb_build_object('kind', r.reason, 'id', w.id, 'actor_id', w.actor_id, 'at', iso(${now}::timestamptz)) as why
      from (${audience}) w
      join (values ${listed}) r(reason, kind, topic, rank, is_personal, is_duty) on r.reason = w.reason
      join users u on u.organisation_id = $1 and u.id = w.user_id
        and u.kind = 'person' and u.is_active and u.has_access
      left join notification_settings p on p.organisation_id = $1 and p.user_id = u.id
      where u.id <> all(${actor_ids}::bigint[]) and not coalesce(r.kind || ':in_app' = any(p.off), false)
        and (r.is_duty or not ${isMuted}) and ${isSeen}
      order by u.id, r.topic, r.rank, w.id desc),
    written as (
      insert into notifications as n (
        organisation_id, user_id, topic, thing_type, thing_id, reasons, at, unread_by)
      select $1, t.user_id, t.topic, ${thing.type}, ${thing.id}::bigint, jsonb_build_array(t.why), ${now}::timestamptz,
        ${notice_id}::bigint
      from told t order by t.user_id, t.topic
      on conflict (organisation_id, thing_type, thing_id, user_id, topic) do update
      set at = greatest(n.at, excluded.at), read_at = null,
        unread_by = case when n.read_at is null then n.unread_by else excluded.unread_by end,
        reasons = (
          select jsonb_agg(e.why order by e.n)
          from jsonb_array_elements(excluded.reasons || n.reasons) with ordinality e(why, n)
          where e.n <= ${REASONS_MAX})
      where not n.reasons @> jsonb_build_array((excluded.reasons -> 0) - 'at' - 'actor_id')
      returning n.id, n.user_id, n.unread_by),
    pushes as (${pushed('written', notice_id, now)})
    select distinct user_id from written`);
  tellNotified(tx, told);
}
