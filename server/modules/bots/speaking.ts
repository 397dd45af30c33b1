// What a bot says, and where it may say it.
import type { Static } from 'typebox';
import { refuse, refuseFields, refuseInvalid } from '../../kernel/contract/errors.ts';
import type { Json } from '../../kernel/data/db.ts';
import { type Upload, uploadsOf } from '../assets/access.ts';
import { type Sender, store } from '../chat/sending.ts';
import type { BotMessage } from './contract.ts';
import { findPlace } from './in-chat.ts';

type Said = Static<typeof BotMessage>;

/** Says it in the channel, which must be the bot's, and must be open to it still: an audience can shrink. */
export async function say(sender: Sender, bot_id: number, body: Said): Promise<Json> {
  const files = uploadsIn(body);
  const content = contentOf(body, files.length > 0);
  const place = await findPlace(sender.tx, bot_id, body.channel_url);
  if (!place) return refuse('channel_not_found', 'There is no such channel.', { path: 'channel_url' });
  const { channel_id, may_speak } = place;
  if (!may_speak)
    refuse('bot_not_in_channel', 'The bot does not belong to this channel, or its audience has lost the person.', {
      path: 'channel_url',
    });
  return store(sender, { channel_id, bot_id, push: body.send_push, ...content }, isFile(body) ? files : []);
}

const isFile = ({ type }: Said) => type === 'image' || type === 'video' || type === 'file';
/** The files that the body brings; each must be what its type and its field say. */
function uploadsIn({ type, image, video, file, files }: Said): Upload[] {
  const accepts = type === 'image' || type === 'video' ? type : 'any';
  return [
    ...uploadsOf('image', 'image', image),
    ...uploadsOf('video', 'video', video),
    ...uploadsOf('file', accepts, file),
    ...uploadsOf('files', accepts, files),
  ];
}

const NO_FILE = 'must be the file itself, uploaded in the request (multipart/form-data); an address is not taken';
function contentOf(body: Said, hasFiles: boolean): { text: string; data?: object } {
  const { type, message: text = '', replies, cards } = body;
  const missing = (field: string) => refuseInvalid(field, `is required for type ${type}`);
  if (type === 'message') return text.trim() === '' ? missing('message') : { text };
  if (type === 'quick_reply') return replies?.length ? { text, data: { type, replies } } : missing('replies');
  if (type !== 'card') return hasFiles ? { text } : refuseInvalid('file', NO_FILE);
  refuseUnclearButtons(cards);
  return cards?.length ? { text, data: { type, cards } } : missing('cards');
}

/** A button has a message or a link, not both and not neither. */
function refuseUnclearButtons(cards: Said['cards'] = []) {
  const errors = cards.flatMap(({ buttons = [] }, c) =>
    buttons.flatMap(({ message, link }, b) =>
      (message === undefined) === (link === undefined)
        ? [{ path: `cards[${c}].buttons[${b}]`, message: 'must have either message or link' }]
        : [],
    ),
  );
  if (errors.length > 0) refuseFields(errors);
}
