// How people react. The buttons are a toolbar of ARIA: one stop of the Tab key, and arrows within.
import { useState } from 'preact/hooks';
import { useRead } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { say } from '../../ui/toast.tsx';
import { Save } from '../saved/save.tsx';
import { type Counted, type Kind, type Reactable, type ReactionName, react, readReactions } from './data.ts';

const emoji: readonly (readonly [ReactionName, string])[] = [
  ['like', '❤️'],
  ['celebrate', '🎉'],
  ['thanks', '🙏'],
  ['laugh', '😄'],
  ['surprise', '😮'],
  ['sad', '😢'],
];
const names = emoji.map(([name]) => name);

interface Props {
  kind: Reactable;
  thing: Counted;
}
export function Reactions({ kind, thing }: Props) {
  const { reactions = {}, viewer } = thing;
  const own = viewer?.reaction ?? null;
  const [stop, setStop] = useState<ReactionName>(own ?? 'like');
  const choose = (name: ReactionName) =>
    react(kind, thing, name === own ? null : name).catch(() => say(t('state.failed')));
  const move = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const { currentTarget: bar, key } = event;
    const forward = getComputedStyle(bar).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const step = { Home: -Infinity, End: Infinity, ArrowLeft: -1, ArrowRight: -1, [forward]: 1 }[key];
    if (step === undefined) return;
    event.preventDefault();
    const at = Math.min(Math.max(names.indexOf(stop) + step, 0), names.length - 1);
    setStop(names[at] ?? 'like');
    bar.querySelectorAll('button')[at]?.focus();
  };
  return (
    <div class="reactions" role="toolbar" aria-label={t('reaction.label')} onKeyDown={move}>
      {emoji.map(([name, sign]) => (
        <button
          key={name}
          type="button"
          class="button quiet"
          tabIndex={name === stop ? 0 : -1}
          aria-pressed={name === own}
          aria-label={t('reaction.counted', { reaction: t(`reaction.${name}`), n: reactions[name] ?? 0 })}
          title={t(`reaction.${name}`)}
          onFocus={() => setStop(name)}
          onClick={() => choose(name)}
        >
          <span aria-hidden="true">{sign}</span>
          {(reactions[name] ?? 0) > 0 && <span aria-hidden="true">{reactions[name]}</span>}
        </button>
      ))}
    </div>
  );
}

/** With the names of those who reacted, for who wants to know. */
export function ReactionsWithNames({ kind, thing }: { kind: Kind; thing: Counted }) {
  const n = Object.values(thing.reactions ?? {}).reduce((sum, one) => sum + one, 0);
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="reacted">
      <div class="counts">
        <Reactions {...{ kind, thing }} />
        <Save {...{ kind, thing }} />
      </div>
      {n > 0 && (
        <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>{t('reaction.total', { n })}</summary>
          {isOpen && <Names key={JSON.stringify(thing.reactions)} {...{ kind, thing }} />}
        </details>
      )}
    </div>
  );
}
function Names({ kind, thing }: Props) {
  const { value = [] } = useRead(() => readReactions(kind, thing.id), [kind, thing.id]);
  return (
    <ul class="rows">
      {value.map(({ user, reaction }) => (
        <li key={user.id}>
          <span role="img" aria-label={t(`reaction.${reaction}`)}>
            {emoji.find(([name]) => name === reaction)?.[1]}
          </span>{' '}
          <a href={`/directory/people/${user.id}`}>{user.name}</a>
        </li>
      ))}
    </ul>
  );
}
