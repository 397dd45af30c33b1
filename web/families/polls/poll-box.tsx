import { useId, useState } from 'preact/hooks';
import { day } from '../../kernel/format.ts';
import { useSubmit } from '../../kernel/submit.ts';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { say } from '../../ui/toast.tsx';
import { type Poll, vote } from './data.ts';
import './polls.css';

/** Asks, and once the person has voted shows how everybody did. */
export function PollBox({ update_id, poll }: { update_id: number; poll: Poll }) {
  const [isChanging, setChanging] = useState(false);
  const asks = poll.is_open && (isChanging || poll.my_votes.length === 0);
  const notes = [
    t('poll.voters', { n: poll.voters_count }),
    poll.is_anonymous && t('poll.anonymous'),
    poll.ends_at && t(poll.is_open ? 'poll.until' : 'poll.ended', { date: day(poll.ends_at) }),
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: no landmark, as a feed has many; its fieldset is the ballot.
    <div class="poll" role="group" aria-label={t('poll.one')}>
      {asks ? (
        <Ballot {...{ update_id, poll }} done={() => setChanging(false)} />
      ) : (
        <>
          <Results poll={poll} />
          {poll.is_open && <Button onClick={() => setChanging(true)}>{t('poll.change')}</Button>}
        </>
      )}
      <p class="quiet-line">{notes.filter(Boolean).join(' · ')}</p>
    </div>
  );
}

function Ballot({ update_id, poll, done }: { update_id: number; poll: Poll; done: () => void }) {
  const name = useId();
  const [chosen, setChosen] = useState<readonly number[]>(poll.my_votes);
  const { submit, isBusy } = useSubmit(() => vote(update_id, chosen).then(done, () => say(t('state.failed'))));
  const choose = (id: number, isChosen: boolean) => {
    const others = poll.is_multiple ? chosen.filter((one) => one !== id) : [];
    setChosen(isChosen ? [...others, id] : others);
  };
  return (
    <form onSubmit={submit}>
      <fieldset>
        <legend>{t(poll.is_multiple ? 'poll.several' : 'poll.choose')}</legend>
        {poll.options.map(({ id, text }) => (
          <label key={id} dir="auto">
            <input
              type={poll.is_multiple ? 'checkbox' : 'radio'}
              name={name}
              checked={chosen.includes(id)}
              onChange={({ currentTarget }) => choose(id, currentTarget.checked)}
            />
            <span>{text}</span>
          </label>
        ))}
      </fieldset>
      <Button type="submit" look="main" disabled={isBusy || chosen.length === 0}>
        {t('poll.vote')}
      </Button>
    </form>
  );
}

const Results = ({ poll: { options, my_votes, voters_count } }: { poll: Poll }) => (
  <ul class="rows">
    {options.map(({ id, text, votes_count }) => (
      <li key={id}>
        <span dir="auto">{text}</span>
        <span>
          {t('poll.votes', { n: votes_count ?? 0 })}
          {my_votes.includes(id) && ` · ${t('poll.mine')}`}
        </span>
        <meter min={0} max={Math.max(voters_count, 1)} value={votes_count ?? 0} aria-label={text} />
      </li>
    ))}
  </ul>
);
