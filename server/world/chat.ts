// The bots and channels of Northwind Retail.
import type { Tx } from '../kernel/data/db.ts';
// Bots say what they are to channels.
import '../modules.ts';
import { replaceAudience } from '../modules/audiences/queries.ts';
import { withholdCallbacks } from '../modules/bots/callback-queries.ts';
import { insertBot } from '../modules/bots/queries.ts';
import { botChannel, openOnce } from '../modules/chat/channels.ts';
import { insertBotMembers } from '../modules/chat/members.ts';
import { insertMessage } from '../modules/chat/messages.ts';
import { upsertSubscription } from '../modules/push/queries.ts';

/** On an empty database the ids of bots and messages are those that examples know. */
export async function fillChat(
  tx: Tx,
  { ada, ben, dmitri, emi, sales_team }: Record<'ada' | 'ben' | 'dmitri' | 'emi' | 'sales_team', number>,
) {
  const fields = { bot_type: 'productivity', bot_profile_url: 'https://northwind.example/bot.png' };
  const helpdesk = await insertBot(tx, 'bot_helpdesk', ada, { ...fields, bot_nickname: 'Help desk', is_global: true });
  const address = { bot_callback_url: 'https://bots.northwind.example/sales' };
  const sales = await insertBot(tx, 'bot_sales', ada, {
    ...fields,
    ...address,
    bot_nickname: 'Sales coach',
    bot_type: 'learning',
  });
  await replaceAudience(tx, 'bot', sales, { type: 'teams', spaces: [], teams: [sales_team] });

  const group = await openOnce(tx, {
    channel_url: 'demo-group',
    type: 'group',
    name: 'Opening hours',
    created_by: ada,
    members: [ada, ben, dmitri],
  });
  await insertBotMembers(tx, group.id, [helpdesk]);
  const mine = await openOnce(tx, { channel_url: 'demo-ada-bot', ...botChannel(helpdesk, ada), created_by: ada });
  const emis = await openOnce(tx, { channel_url: 'demo-bot', ...botChannel(helpdesk, emi), created_by: ada });
  const say = (channel_id: number, from: { user_id: number } | { bot_id: number }, text: string, data?: object) =>
    insertMessage(tx, { channel_id, text, data, ...from });
  await say(group.id, { user_id: ada }, 'The new opening hours start on Monday.');
  await say(group.id, { user_id: ben }, 'The team in Berlin knows.');
  await say(emis.id, { bot_id: helpdesk }, 'How can I help?');
  const replies = [
    { label: 'Yes', message: 'Yes, it is solved.' },
    { label: 'No', message: 'No, it still happens.' },
  ];
  await say(mine.id, { bot_id: helpdesk }, 'Is your problem solved?', { type: 'quick_reply', replies });
  const coaching = await openOnce(tx, { channel_url: 'demo-ben-sales', ...botChannel(sales, ben), created_by: ada });
  await say(coaching.id, { user_id: ben }, 'What is my target?');
  // Its server is made up; what it was told stands in the log as such.
  await withholdCallbacks(tx, sales);
  const endpoint = 'https://push.northwind.example/send/ada';
  const keys = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
  await upsertSubscription(tx, ada, { endpoint, keys }, 'Firefox');
}
