import { useEffect } from 'preact/hooks';
import { lookAgain, unread } from '../families/notifications/data.ts';
import { t } from '../kernel/words.ts';
import { Icon } from '../ui/icon.tsx';

const MOST_SHOWN = 99;
const QUIET_MS = 1000;

/** The way to the notifications; how many there are is heard while the page is open. */
export function Bell({ isHere }: { isHere: boolean }) {
  useEffect(() => {
    // What the screen shows comes first.
    const timer = setTimeout(async () => {
      const { startChat, whenNotified, whenReady } = await import('../families/chat/live.ts');
      whenNotified.add(lookAgain);
      whenReady.add(lookAgain);
      await startChat().catch(() => {});
    }, QUIET_MS);
    return () => clearTimeout(timer);
  }, []);
  const n = unread.value;
  const words = t('notification.bell', { n });
  return (
    <>
      <a href="/notifications" class="bell" aria-current={isHere ? 'page' : undefined}>
        <Icon name="bell" />
        {n > 0 && <b aria-hidden="true">{n > MOST_SHOWN ? `${MOST_SHOWN}+` : n}</b>}
        <span aria-hidden="true">{t('notification.all')}</span>
        <span class="unseen">{words}</span>
      </a>
      <span class="unseen" role="status">
        {words}
      </span>
    </>
  );
}
