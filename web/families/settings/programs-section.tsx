import { ago } from '../../kernel/format.ts';
import { useRead } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { confirm } from '../../ui/dialog.tsx';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { type Grant, readGrants, revokeGrant } from './data.ts';

/** Programs that the person lets act for them. */
function ProgramsSection() {
  const { value: grants, failed, again } = useRead(readGrants, []);
  if (failed) return <Failed refusal={failed} again={again} />;
  if (!grants) return <Loading />;
  const end = async ({ id, program }: Grant) => {
    if (!(await confirm(t('settings.program_end_really', { name: program.name }), t('settings.program_end')))) return;
    await revokeGrant(id).catch(() => say(t('state.failed')));
    again();
  };
  return (
    <>
      <p class="quiet-line">{t('settings.programs_hint')}</p>
      {grants.length === 0 && <Empty icon="bot" title={t('settings.no_programs')} />}
      <ul class="rows">
        {grants.map((grant) => (
          <li key={grant.id} class="own-row">
            <div>
              <b dir="auto">{grant.program.name}</b>
              <p class="quiet-line">
                {t(grant.scopes.includes('write') ? 'settings.program_writes' : 'settings.program_reads')}
                {' · '}
                {ago(grant.last_used_at)}
              </p>
            </div>
            <Button onClick={() => end(grant)}>{t('settings.program_end')}</Button>
          </li>
        ))}
      </ul>
    </>
  );
}
// biome-ignore lint/style/noDefaultExport: a section is loaded by itself.
export default ProgramsSection;
