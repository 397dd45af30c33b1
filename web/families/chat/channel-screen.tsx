import { useEffect, useRef } from 'preact/hooks';
import { type Address, useRead, useTitle } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Failed, Gone, Loading } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import '../content/content.css';
import { ChannelPicture, sentenceOf } from './channel-line.tsx';
import './chat.css';
import { type Channel, channelOf, channels, markRead, readMessages, threadOf } from './data.ts';
import { heardLast, openThread } from './live.ts';
import { OneMessage, Unsent } from './message.tsx';
import { outbox } from './outbox.ts';
import { isLive } from './socket.ts';
import { Writer } from './writer.tsx';

const NEAR_PX = 400;

function ChannelScreen({ channel_url = '' }: Address) {
  const { failed, value, again } = useRead(() => openThread(channel_url).then(() => channel_url), [channel_url]);
  const channel = channelOf(channel_url);
  const isRead = threadOf(channel_url).messages.value !== undefined;
  useTitle(channel?.name);
  if (failed?.status === 404 || failed?.status === 400) return <Gone />;
  if (channel && isRead) return <Thread key={channel_url} channel={channel} />;
  if (value === channel_url && channels.value && !channel) return <Gone />;
  return failed ? <Failed refusal={failed} again={again} /> : <Loading lines={8} />;
}

function Thread({ channel }: { channel: Channel }) {
  const { channel_url } = channel;
  const thread = threadOf(channel_url);
  const messages = thread.messages.value ?? [];
  const arrived = new Set(messages.map(({ client_message_id }) => client_message_id));
  const unsent = outbox.value.filter((one) => one.channel_url === channel_url && !arrived.has(one.client_message_id));
  const heard = heardLast.value?.channel_url === channel_url ? heardLast.value : undefined;
  const isFirst = useRef(true);
  const last = unsent.at(-1)?.client_message_id ?? messages.at(-1)?.message_id;
  // The newest stands in sight, below all others; who reads further up stays there.
  useEffect(() => {
    const { scrollHeight } = document.documentElement;
    if (!isFirst.current && unsent.length === 0 && scrollHeight - innerHeight - scrollY > NEAR_PX) return;
    isFirst.current = false;
    const frame = requestAnimationFrame(() => scrollTo(0, document.documentElement.scrollHeight));
    return () => cancelAnimationFrame(frame);
  }, [last]);
  useEffect(() => {
    const seen = () => {
      if (!document.hidden) markRead(channel_url).catch(() => {});
    };
    seen();
    document.addEventListener('visibilitychange', seen);
    return () => document.removeEventListener('visibilitychange', seen);
  }, [channel_url, channel.unread_count]);
  const earlier = () => readMessages(channel_url).catch(() => say(t('state.failed')));
  return (
    <div class="thread">
      <div class="head">
        <ChannelPicture channel={channel} />
        <div>
          <h1 dir="auto">{channel.name}</h1>
          <p class="quiet-line">
            <a href="/chat">{t('chat.all')}</a>
            {channel.type !== 'direct' && ` · ${t('chat.people', { n: channel.member_count })}`}
          </p>
        </div>
      </div>
      {thread.hasEarlier.value && <Button onClick={earlier}>{t('chat.earlier')}</Button>}
      {messages.length + unsent.length === 0 && <p class="quiet-line">{t('chat.empty')}</p>}
      <ol class="messages" aria-label={t('chat.messages')}>
        {messages.map((message, n) => (
          <OneMessage key={message.message_id} message={message} isLast={n === messages.length - 1} />
        ))}
        {unsent.map((draft) => (
          <Unsent key={draft.client_message_id} draft={draft} />
        ))}
      </ol>
      <p class="heard" role="status">
        {heard && sentenceOf(heard)}
      </p>
      <div class="writing">
        <p class="kind" role="status">
          {!isLive.value && (
            <>
              <Icon name="wifi-off" />
              {t('chat.cut')}
            </>
          )}
        </p>
        <Writer channel_url={channel_url} />
      </div>
    </div>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default ChannelScreen;
