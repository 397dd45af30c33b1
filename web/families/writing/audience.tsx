import { t } from '../../kernel/words.ts';

export interface ChosenAudience {
  type: 'Global' | 'spaces' | 'teams';
  spaces: readonly { id: number; name: string }[];
  teams: readonly { id: number; name: string }[];
}
/** As requests have it. */
export const audienceOf = ({ type, spaces, teams }: ChosenAudience) => ({
  type,
  ...(type === 'spaces' ? { spaces: spaces.map(({ id }) => id) } : {}),
  ...(type === 'teams' ? { teams: teams.map(({ id }) => id) } : {}),
});

interface Props {
  audience: ChosenAudience;
  onAudience: (audience: ChosenAudience) => void;
  /** What may be chosen. */
  isForAll: boolean;
  spaces: readonly { id: number; name: string }[];
}
/** Who will see it: everybody, or the members of some spaces. Teams that were chosen elsewhere stay until then. */
export function AudienceField({ audience, onAudience, isForAll, spaces }: Props) {
  const { type, teams } = audience;
  const offered = [...audience.spaces, ...spaces.filter(({ id }) => !audience.spaces.some((one) => one.id === id))];
  const isChosen = (id: number) => audience.spaces.some((one) => one.id === id);
  return (
    <fieldset class="answers">
      <legend>{t('post.for')}</legend>
      {(isForAll || type === 'Global') && (
        <Option
          label={t('audience.everybody')}
          isOn={type === 'Global'}
          choose={() => onAudience({ ...audience, type: 'Global' })}
        />
      )}
      {offered.length > 0 && (
        <Option
          label={t('writing.chosen_spaces')}
          isOn={type === 'spaces'}
          choose={() => onAudience({ ...audience, type: 'spaces' })}
        />
      )}
      {teams.length > 0 && (
        <Option
          label={t('writing.chosen_teams', { names: teams.map(({ name }) => name).join(', ') })}
          isOn={type === 'teams'}
          choose={() => onAudience({ ...audience, type: 'teams' })}
        />
      )}
      {type === 'spaces' && (
        <div class="checks">
          {offered.map((space) => (
            <label key={space.id} class="check">
              <input
                type="checkbox"
                checked={isChosen(space.id)}
                onChange={() =>
                  onAudience({
                    ...audience,
                    spaces: isChosen(space.id)
                      ? audience.spaces.filter(({ id }) => id !== space.id)
                      : [...audience.spaces, space],
                  })
                }
              />
              {space.name}
            </label>
          ))}
        </div>
      )}
    </fieldset>
  );
}

const Option = ({ label, isOn, choose }: { label: string; isOn: boolean; choose: () => void }) => (
  <label class="check">
    <input type="radio" name="audience" checked={isOn} onChange={choose} />
    {label}
  </label>
);
