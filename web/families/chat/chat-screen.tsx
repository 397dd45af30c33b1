import { useLocation } from 'preact-iso';
import { useRead, useTitle } from '../../kernel/screen.tsx';
import { may } from '../../kernel/session.ts';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import '../content/content.css';
import './chat.css';
import { ChannelLine } from './channel-line.tsx';
import { channels, hasMoreChannels, moreChannels, openChannel, readBots } from './data.ts';
import { startChat } from './live.ts';

function ChatScreen() {
  useTitle(t('place.chat'));
  const { failed, again } = useRead(startChat, []);
  const known = channels.value;
  return (
    <>
      <h1>{t('place.chat')}</h1>
      {!known && (failed ? <Failed refusal={failed} again={again} /> : <Loading lines={6} />)}
      {known?.length === 0 && <Empty icon="message-circle" title={t('chat.none')} />}
      {known && known.length > 0 && (
        <ul class="channels">
          {known.map((channel) => (
            <li key={channel.channel_url}>
              <ChannelLine channel={channel} />
            </li>
          ))}
        </ul>
      )}
      {hasMoreChannels.value && (
        <Button onClick={() => moreChannels().catch(() => say(t('state.failed')))}>{t('action.more')}</Button>
      )}
      {known && may('chats.bots.read') && <Bots />}
    </>
  );
}

/** Those with whom there is no channel yet. */
function Bots() {
  const { route } = useLocation();
  const { value: bots = [] } = useRead(readBots, []);
  const met = new Set(channels.value?.filter(({ type }) => type === 'bot').flatMap((one) => one.bots.map(idOf)));
  const others = bots.filter((bot) => bot.active && !met.has(idOf(bot)));
  if (others.length === 0) return null;
  const open = (bot_userid: string) => () =>
    openChannel({ type: 'bot', bot_userid }).then(route, () => say(t('state.failed')));
  return (
    <section class="bots" aria-labelledby="bots">
      <h2 id="bots">{t('chat.bots')}</h2>
      {others.map(({ bot_userid, bot_nickname }) => (
        <Button key={bot_userid} icon="bot" onClick={open(bot_userid)}>
          {bot_nickname}
        </Button>
      ))}
    </section>
  );
}
const idOf = ({ bot_userid }: { bot_userid: string }) => bot_userid;
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default ChatScreen;
