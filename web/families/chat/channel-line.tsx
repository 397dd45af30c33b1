import { ago } from '../../kernel/format.ts';
import { me } from '../../kernel/session.ts';
import { t } from '../../kernel/words.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { Channel, Message } from './data.ts';

/** The other person's picture, or what kind of channel it is. */
export function ChannelPicture({ channel: { type, members } }: { channel: Channel }) {
  const other = members.find(({ id }) => id !== me().id);
  if (type === 'direct' && other) return <Avatar src={other.avatar_url} />;
  return (
    <span class="chat-picture">
      <Icon name={type === 'bot' ? 'bot' : type === 'space' ? 'layout-grid' : 'users'} />
    </span>
  );
}
export const authorOf = ({ user, bot }: Message) =>
  user?.id === me().id ? t('chat.mine') : (user?.name ?? bot?.bot_nickname ?? '');
/** Isolated (FSI, PDI): what is said may run the other way than the sentence around it. */
const saidIn = ({ text, files }: Message) => `\u2068${text || (files[0]?.file_name ?? t('chat.file'))}\u2069`;
export const sentenceOf = (message: Message) => t('chat.said', { name: authorOf(message), text: saidIn(message) });

/** A channel in the list: who, what was said last, and how much of it is new. */
export const ChannelLine = ({ channel }: { channel: Channel }) => (
  <a class="line channel" href={`/chat/${channel.channel_url}`}>
    <ChannelPicture channel={channel} />
    <span class="said">
      <bdi>{channel.name}</bdi>
      {channel.last_message && (
        <span class="quiet-line">
          {channel.last_message.type === 'ADMM' ? channel.last_message.text : sentenceOf(channel.last_message)}
        </span>
      )}
    </span>
    <span class="when">
      {channel.last_message && (
        <time dateTime={channel.last_message.created_at}>{ago(channel.last_message.created_at)}</time>
      )}
      {channel.unread_count > 0 && <span class="unread">{t('chat.unread', { n: channel.unread_count })}</span>}
    </span>
  </a>
);
