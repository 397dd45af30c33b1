import { useState } from 'preact/hooks';
import { Refusal } from '../../kernel/call.ts';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { confirm } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { say } from '../../ui/toast.tsx';
import { type Membership, type Space, setMember } from './data.ts';
import { roleWords } from './roles.ts';

interface Props {
  space: Space;
  membership: Membership;
  again: () => void;
}
/** Joins and leaves; what somebody may not do is not offered. */
export function Joining({ space, membership, again }: Props) {
  const [isBusy, setBusy] = useState(false);
  const { space_role, may_join, may_leave } = membership;
  const set = async (isMember: boolean) => {
    if (!isMember && !(await confirm(t('space.leave_really', { name: space.name }), t('space.leave')))) return;
    setBusy(true);
    await setMember(space, isMember).then(again, (error) =>
      say(t(Refusal.of(error).code === 'last_owner' ? 'space.last_owner' : 'state.failed')),
    );
    setBusy(false);
  };
  if (!space_role && !may_join) return null;
  return (
    <div class="actions">
      {space_role && (
        <span class="kind">
          <Icon name="check" />
          {space_role === 'member' ? t('space.member') : t('space.member_as', { role: roleWords(space_role) })}
        </span>
      )}
      {may_join && (
        <Button look="main" icon="user-plus" disabled={isBusy} onClick={() => set(true)}>
          {t('space.join')}
        </Button>
      )}
      {may_leave && (
        <Button icon="log-out" disabled={isBusy} onClick={() => set(false)}>
          {t('space.leave')}
        </Button>
      )}
    </div>
  );
}
