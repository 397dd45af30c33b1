import { useState } from 'preact/hooks';
import { Refusal } from '../../kernel/call.ts';
import { t } from '../../kernel/words.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { confirm } from '../../ui/dialog.tsx';
import { Feed } from '../../ui/feed.tsx';
import { type Choice, Picker } from '../../ui/picker.tsx';
import { Empty } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { findPeople } from '../search/data.ts';
import { PersonLine } from '../users/person-line.tsx';
import { changeMembers, type Member, membersOf, type Space } from './data.ts';
import { type Role, roles, roleWords } from './roles.ts';

interface Props {
  space: Space;
  mayManage: boolean;
}
const refused = (error: unknown) => say(t(Refusal.of(error).status === 403 ? 'space.not_allowed' : 'state.failed'));

export const MemberList = ({ space, mayManage }: Props) => (
  <>
    {mayManage && <Adding space={space} />}
    <Feed<Member>
      list={membersOf(space.id)}
      label={t('place.people')}
      empty={<Empty icon="users" title={t('space.nobody')} />}
    >
      {(member) => (mayManage ? <Managed {...{ space, member }} /> : <Line member={member} />)}
    </Feed>
  </>
);

const Line = ({ member }: { member: Member }) => (
  <PersonLine person={member} note={member.space_role === 'member' ? undefined : roleWords(member.space_role)} />
);

function Managed({ space: { id, name }, member }: { space: Space; member: Member }) {
  const give = (role: string) => changeMembers(id, { [`ids_to_set_as_${role}`]: [member.id] }).catch(refused);
  const remove = async () => {
    if (!(await confirm(t('space.remove_really', { person: member.name, space: name }), t('space.remove')))) return;
    await changeMembers(id, { ids_to_remove: [member.id] }).catch(refused);
  };
  return (
    <div class="member">
      <PersonLine person={member} />
      <select
        class="input"
        aria-label={t('space.role_of', { name: member.name })}
        value={member.space_role}
        onChange={({ currentTarget }) => give(currentTarget.value)}
      >
        {roles.map((role) => (
          <option key={role} value={role}>
            {roleWords(role)}
          </option>
        ))}
      </select>
      <IconButton icon="x" label={t('space.remove_one', { name: member.name })} onClick={remove} />
    </div>
  );
}

function Adding({ space: { id } }: { space: Space }) {
  const [chosen, setChosen] = useState<readonly Choice[]>([]);
  const [role, setRole] = useState<Role>('member');
  const add = async () => {
    const ids = chosen.map((one) => one.id);
    await changeMembers(id, role === 'member' ? { ids_to_add: ids } : { [`ids_to_set_as_${role}`]: ids }).then(() => {
      setChosen([]);
      say(t('space.added'));
    }, refused);
  };
  return (
    <div class="card">
      <Picker label={t('space.add')} find={findPeople} chosen={chosen} onChosen={setChosen} />
      {chosen.length > 0 && (
        <div class="actions">
          <select
            class="input"
            aria-label={t('space.role')}
            value={role}
            onChange={({ currentTarget }) => setRole(currentTarget.value as Role)}
          >
            {roles.map((one) => (
              <option key={one} value={one}>
                {roleWords(one)}
              </option>
            ))}
          </select>
          <Button look="main" icon="user-plus" onClick={add}>
            {t('space.add_now', { n: chosen.length })}
          </Button>
        </div>
      )}
    </div>
  );
}
