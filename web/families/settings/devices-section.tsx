import { ago } from '../../kernel/format.ts';
import { useRead } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { confirm } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Failed, Loading } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { type Device, endDevice, readDevices } from './data.ts';

const browsers = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'] as const;
const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera' };
const systems = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'] as const;
/** What people know their devices by, of what a browser says of itself; else its first words. */
function nameOf({ user_agent }: Device) {
  const browser = browsers.find((one) => user_agent.includes(`${one}/`));
  const system = systems.find((one) => user_agent.includes(one));
  return [browser && (names[browser] ?? browser), system].filter(Boolean).join(' · ') || user_agent.slice(0, 60);
}
const isPhone = ({ user_agent }: Device) => /Android|iPhone/.test(user_agent);

/** Where the person is signed in. */
function DevicesSection() {
  const { value: devices, failed, again } = useRead(readDevices, []);
  if (failed) return <Failed refusal={failed} again={again} />;
  if (!devices) return <Loading />;
  const others = devices.filter(({ is_current }) => !is_current);
  const end = async (some: readonly Device[], question: string) => {
    if (!(await confirm(question, t('settings.end')))) return;
    const done = await Promise.allSettled(some.map(({ id }) => endDevice(id)));
    say(t(done.every(({ status }) => status === 'fulfilled') ? 'settings.ended' : 'state.failed'));
    again();
  };
  return (
    <>
      <p class="quiet-line">{t('settings.devices_hint')}</p>
      <ul class="rows">
        {devices.map((device) => (
          <li key={device.id} class="own-row">
            <Icon name={isPhone(device) ? 'smartphone' : 'monitor'} />
            <div>
              <b>{nameOf(device)}</b>
              <p class="quiet-line">
                {device.is_current ? t('settings.this_device') : ago(device.last_seen_at)} ·{' '}
                <bdi>{device.ip_address}</bdi>
              </p>
            </div>
            {!device.is_current && (
              <Button onClick={() => end([device], t('settings.end_one', { name: nameOf(device) }))}>
                {t('settings.end')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <div>
          <Button look="danger" onClick={() => end(others, t('settings.end_all_really'))}>
            {t('settings.end_all')}
          </Button>
        </div>
      )}
    </>
  );
}
// biome-ignore lint/style/noDefaultExport: a section is loaded by itself.
export default DevicesSection;
