import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { queued } from '../../kernel/work/jobs.ts';
import { notification } from '../push/notifications.ts';
import { reasons, words } from './reasons.ts';
import { isVisibleTo, shownThing } from './things.ts';

interface Push {
  user_id: number;
  notification_id: number;
  /** Read and told again meanwhile, it has a push of its own. */
  notice_id: number;
}
const kinds = Object.entries(reasons).map(([reason, { kind }]) => `when '${reason}' then '${kind}'`);

/** Once for each time that it becomes unread; after quiet hours, if it is still unread and may still be seen. */
export const pushNotification = notification<Push>('push_notification', {
  isPatient: true,
  recipients: ({ user_id, notification_id, notice_id }, tx) => sql`
    select n.user_id, null::text as sender, json_build_object(
      'title', told.title, 'tag', 'notification-' || n.id, 'url', o.web_url || told.path, 'notification_id', n.id,
      'body', replace(
        coalesce(w.words -> left(coalesce(u.locale, o.locale), 2), w.words -> 'en') ->> (n.reasons -> 0 ->> 'kind'),
        '{who}', coalesce(a.name, ''))) as shown
    from notifications n
    join organisations o on o.id = $1
    join users u on u.organisation_id = $1 and u.id = n.user_id
    left join users a on a.organisation_id = $1 and a.id = (n.reasons -> 0 ->> 'actor_id')::bigint
    left join notification_settings p on p.organisation_id = $1 and p.user_id = n.user_id
    cross join (select ${JSON.stringify(words)}::jsonb as words) w
    cross join lateral (${shownThing()}) told
    where n.organisation_id = $1 and n.id = ${notification_id} and n.user_id = ${user_id}
      and n.unread_by = ${notice_id} and n.read_at is null and ${isVisibleTo(tx)}
      and not coalesce(
        case n.reasons -> 0 ->> 'kind' ${trusted(kinds.join(' '))} end || ':push' = any(p.off), false)`,
});

/** CTE body: for each row of `source` that this notice made unread. */
export const pushed = (source: string, notice_id: number, now: string): Sql =>
  queued(
    pushNotification,
    sql`(
      select jsonb_build_object('user_id', w.user_id, 'notification_id', w.id, 'notice_id', ${notice_id}::bigint)
          as payload, ${now}::timestamptz as run_at
      from ${trusted(source)} w
      where w.unread_by = ${notice_id} and exists (
        select from push_subscriptions s where s.organisation_id = $1 and s.user_id = w.user_id))`,
  );
