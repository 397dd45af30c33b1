// Whom a notice is for, and why: SQL that selects user_id, reason, id, actor_id. Whether they may see it, want it and
// have not heard it yet is asked of all alike (telling.ts).
import { joined, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type AcknowledgedNoun, acknowledgedNouns } from '../acknowledgements/contract.ts';
import { awaited } from '../acknowledgements/queries.ts';
import { type ContentNoun, plurals } from '../content/contract.ts';
import { familyOf, type PostedFamily } from '../content/family.ts';
import { isPublished } from '../content/reach.ts';
import { mentionedPeople } from '../mentions/queries.ts';
import type { Reason } from './contract.ts';
import type { Notice } from './notices.ts';

/** What is older was imported: nobody is told of it, unless a person has just changed it. */
const NEWS_DAYS = 7;
export const isNews = (at: Sql, now: string) =>
  sql`${at} > ${now}::timestamptz - interval '${literal(NEWS_DAYS)} days'`;

const because = (reason: Reason, from: Sql) => sql`
  select x.user_id, ${literal(reason)} as reason, x.id, x.actor_id from (${from}) x`;
const none = trusted('null::bigint as id');

export const postedAtOf = (noun: ContentNoun) =>
  trusted(noun === 'page' ? 't.created_at' : (familyOf(noun) as PostedFamily).postedAt);
/** SQL: the content `t` is there for its readers. */
export const isOut = (noun: ContentNoun) => (noun === 'page' ? trusted('not t.is_draft') : isPublished);
const content = (noun: ContentNoun, id: number) => sql`${trusted(plurals[noun])} t
      where t.organisation_id = $1 and t.id = ${id}`;

/** SQL: members of the spaces and teams that the content `t` is for. */
const addressed = (noun: ContentNoun) => {
  const [table, id] = [trusted(`${noun}_audiences`), trusted(`a.${noun}_id`)];
  return sql`(
      select m.user_id from ${table} a join space_members m on m.organisation_id = $1 and m.space_id = a.space_id
      where a.organisation_id = $1 and ${id} = t.id
      union
      select m.user_id from ${table} a join team_members m on m.organisation_id = $1 and m.team_id = a.team_id
      where a.organisation_id = $1 and ${id} = t.id)`;
};

/** As the content is now. `claimed` are mentions of this very moment. */
export function audienceOfContent({ thing_id: id, actor_id, created_at }: Notice, noun: ContentNoun, now: string): Sql {
  const of = content(noun, id);
  const recent = isNews(postedAtOf(noun), now);
  const found = [
    because(
      'mention',
      sql`
      select m.user_id, ${none}, coalesce(${actor_id}::bigint, t.creator_id) as actor_id
      from (${mentionedPeople('claimed')}) m, ${of} and (${recent} or exists (
        select from users w where w.organisation_id = $1 and w.id = ${actor_id}::bigint and w.kind = 'person'))`,
    ),
  ];
  if (isAcknowledged(noun))
    found.push(
      because(
        'must_read',
        sql`
      select p.user_id, p.content_version::bigint as id, t.creator_id as actor_id
      from (${awaited(noun, id)}) p, ${of} and ${isOut(noun)} and (${recent} or p.content_version > 1)`,
      ),
    );
  if (noun === 'kudos')
    found.push(
      because(
        'kudos',
        sql`
      select coalesce(r.user_id, m.user_id) as user_id, ${none}, t.creator_id as actor_id
      from kudos t
      join kudos_recipients r on r.organisation_id = $1 and r.kudos_id = t.id
      left join team_members m on m.organisation_id = $1 and m.team_id = r.team_id
      where t.organisation_id = $1 and t.id = ${id} and ${isOut(noun)} and ${recent}`,
      ),
    );
  if (noun === 'update' || noun === 'kudos') found.push(...approvals(noun, id));
  if (noun === 'event') found.push(...invitations(id, actor_id, created_at, now));
  return joined(found, ' union all ');
}
const isAcknowledged = (noun: ContentNoun): noun is AcknowledgedNoun =>
  (acknowledgedNouns as readonly string[]).includes(noun);

/** Who approves in its spaces; then its author. */
const approvals = (noun: 'update' | 'kudos', id: number) => {
  const audiences = trusted(`${noun}_audiences`);
  const decided = (approval: 'approved' | 'rejected') =>
    because(
      approval,
      sql`
      select t.creator_id as user_id, (extract(epoch from t.reviewed_at) * 1000)::bigint as id,
        t.reviewed_by as actor_id
      from ${content(noun, id)} and t.approval = ${literal(approval)} and t.reviewed_by is not null`,
    );
  return [
    because(
      'approval_asked',
      sql`
      select m.user_id, t.content_version::bigint as id, t.creator_id as actor_id
      from ${trusted(plurals[noun])} t
      join ${audiences} a on a.organisation_id = $1 and a.${trusted(`${noun}_id`)} = t.id
      join space_members m on m.organisation_id = $1 and m.space_id = a.space_id
        and m.role in ('owner', 'admin', 'moderator')
      where t.organisation_id = $1 and t.id = ${id} and t.approval = 'pending'`,
    ),
    decided('approved'),
    decided('rejected'),
  ];
};

/** Who is addressed is invited; who answered before it changed hears of that, or that it does not take place. */
const invitations = (id: number, actor_id: number | null, at: string, now: string) => {
  const answered = (reason: 'changed' | 'cancelled', condition: Sql) =>
    because(
      reason,
      sql`
      select a.user_id, t.revision::bigint as id, ${actor_id}::bigint as actor_id
      from events t
      join event_attendees a on a.organisation_id = $1 and a.event_id = t.id and a.status in ('going', 'maybe')
        and a.created_at <= ${at}::timestamptz
      where t.organisation_id = $1 and t.id = ${id} and t.ends_at > ${now}::timestamptz and t.revision > 0
        and ${condition}`,
    );
  // Of what changes with a space nobody in particular is the actor.
  const isKnown = sql`(${actor_id}::bigint is not null or t.archived_with_space)`;
  return [
    because(
      'invited',
      sql`
      select m.user_id, ${none}, t.creator_id as actor_id
      from events t cross join lateral ${addressed('event')} m
      where t.organisation_id = $1 and t.id = ${id} and ${isOut('event')} and t.ends_at > ${now}::timestamptz`,
    ),
    answered('changed', sql`not t.is_archived and ${isKnown}`),
    answered('cancelled', sql`t.is_archived and ${isKnown}`),
  ];
};

interface Comment {
  id: number;
  content_id: number;
  parent_id: number | null;
  creator_id: number;
}
/** A mention says more than a reply, and that more than a comment: each hears of it once. */
export function audienceOfComment(comment: Comment, noun: ContentNoun, isNew: boolean): Sql {
  const { id, content_id, parent_id, creator_id } = comment;
  const own = sql`${id}::bigint as id, ${creator_id}::bigint as actor_id`;
  const mentioned = because('mention', sql`select m.user_id, ${own} from (${mentionedPeople('claimed')}) m`);
  if (!isNew) return mentioned;
  const thread = sql`
      select distinct c.creator_id as user_id, ${own} from comments c
      where c.organisation_id = $1 and c.kind = ${noun} and c.content_id = ${content_id}
        and (c.id = ${parent_id}::bigint or c.parent_id = ${parent_id}::bigint)`;
  const author = sql`select t.creator_id as user_id, ${own} from ${content(noun, content_id)}`;
  return joined([mentioned, because('reply', thread), because('comment', author)], ' union all ');
}
