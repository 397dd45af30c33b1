// What a bot says, and where it may say it.
import type { Static } from 'typebox';
import { refuse, refuseFields, refuseInvalid } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import type { Call } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { type Upload, uploadsOf, withFiles } from '../assets/access.ts';
import { tellChannelChanged, tellMembersChanged } from '../chat/events.ts';
import { botChannel, getChannel, openOnce, storeMessage } from '../chat/queries.ts';
import type { BotMessage } from './contract.ts';
import { type BotRow, findBotPlace } from './queries.ts';

export async function openFor(tx: Tx, actor: Actor, bot_id: number, user_id: number) {
  const channel = await openOnce(tx, { ...botChannel(bot_id, user_id), created_by: actor.user_id });
  if (channel.is_new) tellMembersChanged(tx, channel.id);
  return { json: await getChannel(tx, actor, channel.id), channel_url: channel.channel_url };
}

type Said = Static<typeof BotMessage>;

/** Says it in the channel, which must be the bot's, and must be open to it still: an audience can shrink. */
export async function say(call: Pick<Call, 'tx' | 'actor' | 'services'>, bot: BotRow, body: Said): Promise<Json> {
  const { tx, actor } = call;
  const content = contentOf(body);
  const place = await findBotPlace(tx, bot.id, body.channel_url);
  if (!place) return refuse('channel_not_found', 'There is no such channel.', { path: 'channel_url' });
  if (!place.belongs)
    refuse('bot_not_in_channel', 'The bot does not belong to this channel, or its audience has lost the person.', {
      path: 'channel_url',
    });
  const sent = await withFiles(call, content.type === 'FILE' ? uploads(body) : [], (staged) =>
    storeMessage(
      tx,
      { channel_id: place.channel_id, bot_id: bot.id, push: body.send_push, ...content },
      staged,
      actor.user_id,
    ),
  );
  tellChannelChanged(tx, place.channel_id);
  return sent;
}

interface Content {
  type: 'MESG' | 'FILE';
  text: string;
  data?: unknown;
}
function contentOf(body: Said): Content {
  const { type, message = '', replies, cards } = body;
  const missing = (field: string) => refuseInvalid(field, `is required for type ${type}`);
  switch (type) {
    case 'message':
      return message.trim() === '' ? missing('message') : { type: 'MESG', text: message };
    case 'quick_reply':
      return replies?.length ? { type: 'MESG', text: message, data: { type, replies } } : missing('replies');
    case 'card':
      checkButtons(cards);
      return cards?.length ? { type: 'MESG', text: message, data: { type, cards } } : missing('cards');
    default:
      return uploads(body).length > 0 ? { type: 'FILE', text: message } : refuseInvalid('file', NO_FILE);
  }
}
const NO_FILE = 'must be the file itself, uploaded in the request (multipart/form-data); an address is not taken';

const accepts = { image: 'image', video: 'video', file: 'any' } as const;
/** The files that the body brings; each must be what its type and its field say. */
function uploads({ type, image, video, file, files }: Said): Upload[] {
  const wanted = type === 'image' || type === 'video' ? accepts[type] : accepts.file;
  return [
    ...uploadsOf('image', 'image', image),
    ...uploadsOf('video', 'video', video),
    ...uploadsOf('file', wanted, file),
    ...uploadsOf('files', wanted, files),
  ];
}

/** A button has a message or a link, not both and not neither. */
function checkButtons(cards: Said['cards'] = []) {
  const errors = cards.flatMap(({ buttons = [] }, c) =>
    buttons.flatMap(({ message, link }, b) =>
      (message === undefined) === (link === undefined)
        ? [{ path: `cards[${c}].buttons[${b}]`, message: 'must have either message or link' }]
        : [],
    ),
  );
  if (errors.length > 0) refuseFields(errors);
}
