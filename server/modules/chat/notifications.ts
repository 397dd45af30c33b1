import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { queued } from '../../kernel/work/jobs.ts';
import { hasSubscriptions, notification } from '../push/notifications.ts';
import { peopleIn } from './access.ts';
import { bots } from './bots.ts';

/** Everybody in the channel at that moment but who wrote the message. */
export const pushMessage = notification<{ message_id: number }>('push_message', {
  recipients: ({ message_id }) => sql`
    select p.user_id, case when t.bot_id is null then 'people' else 'bots' end as sender, json_build_object(
        'title', coalesce(${bots().author(trusted('t.bot_id'))} ->> 'bot_nickname', a.name, ''),
        'body', left(t.text, 200), 'tag', c.channel_url, 'url', o.web_url || '/chat/' || c.channel_url,
        'channel_url', c.channel_url, 'message_id', t.id) as shown
    from chat_messages t
    join chat_channels c on c.organisation_id = $1 and c.id = t.channel_id
    join organisations o on o.id = $1
    left join users a on a.organisation_id = $1 and a.id = t.user_id
    cross join lateral (${peopleIn()}) p
    where t.organisation_id = $1 and t.id = ${message_id} and t.deleted_at is null
      and p.user_id is distinct from t.user_id`,
});
/** CTE body: for each message in `source`, once it is committed. */
export const pushed = (source: string, now: string): Sql =>
  queued(
    pushMessage,
    sql`(
      select jsonb_build_object('message_id', t.id) as payload, ${now}::timestamptz as run_at from ${trusted(source)} t
      where t.type <> 'ADMM' and ${hasSubscriptions})`,
  );
