import { useLocation } from 'preact-iso';
import { ago } from '../../kernel/format.ts';
import { useTitle } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Feed } from '../../ui/feed.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import '../content/content.css';
import { everything, isMutable, markAllRead, markRead, type Notification, notRead, setMuted, unread } from './data.ts';
import './notifications.css';

const failed = () => say(t('state.failed'));

function NotificationsScreen() {
  const { query } = useLocation();
  useTitle(t('notification.all'));
  const isUnread = query.show === 'unread';
  const list = isUnread ? notRead() : everything();
  const latest = list.items.value?.[0]?.id;
  return (
    <>
      <h1>{t('notification.all')}</h1>
      <nav class="tabs" aria-label={t('notification.which')}>
        <a href="/notifications" aria-current={isUnread ? undefined : 'page'}>
          {t('notification.every')}
        </a>
        <a href="/notifications?show=unread" aria-current={isUnread ? 'page' : undefined}>
          {t('notification.unread')}
        </a>
        <a href="/settings/notifications">{t('notification.settings')}</a>
      </nav>
      {unread.value > 0 && latest !== undefined && (
        <div>
          <Button icon="check" onClick={() => markAllRead(latest).catch(failed)}>
            {t('notification.read_all')}
          </Button>
        </div>
      )}
      <Feed<Notification>
        key={isUnread}
        list={list}
        label={t('notification.all')}
        empty={<Empty icon="bell" title={isUnread ? t('notification.none_unread') : t('notification.none')} />}
      >
        {(one) => <Told told={one} />}
      </Feed>
    </>
  );
}

/** Where it happened: the comment, if it was one. */
function placeOf({ thing, reasons }: Notification) {
  const { pathname } = new URL(thing.permalink);
  const comment = reasons.find(({ comment_id }) => comment_id !== null)?.comment_id;
  return comment ? `${pathname}#comment-${comment}` : pathname;
}

function Told({ told }: { told: Notification }) {
  const { id, thing, reasons, is_read, is_muted, at } = told;
  const who = reasons[0]?.people[0];
  return (
    <div class={is_read ? 'told' : 'told new'}>
      {who ? <Avatar src={who.avatar_url} /> : <Icon name="bell" />}
      <div>
        <p>
          <a href={placeOf(told)} onClick={() => void (is_read || markRead(id).catch(failed))}>
            <bdi>{thing.title}</bdi>
          </a>
          {!is_read && <span class="mark">{t('notification.new')}</span>}
        </p>
        <ul>
          {reasons.map(({ reason, text }) => (
            <li key={reason} dir="auto">
              {text}
            </li>
          ))}
        </ul>
        <time dateTime={at}>{ago(at)}</time>
        {is_muted && <span class="quiet-line">{t('notification.muted')}</span>}
      </div>
      <div class="acts">
        {!is_read && (
          <IconButton icon="check" label={t('notification.read')} onClick={() => markRead(id).catch(failed)} />
        )}
        {isMutable(thing) && (
          <IconButton
            icon={is_muted ? 'bell' : 'bell-off'}
            label={is_muted ? t('notification.unmute') : t('notification.mute')}
            onClick={() => setMuted(told, !is_muted).catch(failed)}
          />
        )}
      </div>
    </div>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default NotificationsScreen;
