import { useState } from 'preact/hooks';
import { day } from '../../kernel/format.ts';
import { useRead } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { confirm } from '../../ui/dialog.tsx';
import { Failed, Loading } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { createCalendar, deleteCalendar, readCalendar } from './data.ts';
import { Secret } from './secret.tsx';

/** The address at which calendar programs read one's events. */
function CalendarSection() {
  const { value: calendar, failed, again } = useRead(readCalendar, []);
  const [url, setUrl] = useState<string>();
  if (failed) return <Failed refusal={failed} again={again} />;
  if (!calendar) return <Loading />;
  const work = (task: Promise<unknown>) => task.then(again, () => say(t('state.failed')));
  const make = async () => {
    if (calendar.created_at && !(await confirm(t('settings.calendar_anew_really'), t('settings.calendar_anew'))))
      return;
    await work(createCalendar().then((made) => setUrl(made.url)));
  };
  const end = async () => {
    if (!(await confirm(t('settings.calendar_end_really'), t('settings.end')))) return;
    setUrl(undefined);
    await work(deleteCalendar());
  };
  return (
    <>
      <p class="quiet-line">{t('settings.calendar_hint')}</p>
      {url && <Secret value={url} hint={t('settings.calendar_once')} />}
      {calendar.created_at && <p>{t('settings.calendar_since', { date: day(calendar.created_at) })}</p>}
      <div class="actions">
        <Button look="main" icon="link" onClick={make}>
          {t(calendar.created_at ? 'settings.calendar_anew' : 'settings.calendar_make')}
        </Button>
        {calendar.created_at && (
          <Button look="danger" onClick={end}>
            {t('settings.calendar_end')}
          </Button>
        )}
      </div>
    </>
  );
}
// biome-ignore lint/style/noDefaultExport: a section is loaded by itself.
export default CalendarSection;
