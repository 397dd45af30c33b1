import { t } from '../../kernel/words.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { type NewPoll, OPTIONS_MAX } from './data.ts';
import './polls.css';

interface Props {
  poll: NewPoll;
  onPoll: (poll: NewPoll | undefined) => void;
}
export function PollFields({ poll, onPoll }: Props) {
  const { options, is_multiple, is_anonymous, until } = poll;
  const put = (some: Partial<NewPoll>) => onPoll({ ...poll, ...some });
  const write = (n: number, text: string) => put({ options: options.map((one, at) => (at === n ? text : one)) });
  const flag = (name: 'is_multiple' | 'is_anonymous', value: boolean) => (
    <label>
      <input type="checkbox" checked={value} onChange={({ currentTarget }) => put({ [name]: currentTarget.checked })} />
      <span>{t(`poll.${name}`)}</span>
    </label>
  );
  return (
    <fieldset class="poll">
      <legend>{t('poll.one')}</legend>
      {options.map((text, n) => (
        <div class="option" key={n}>
          <Field label={t('poll.option', { n: n + 1 })}>
            {(own) => (
              <input
                class="input"
                dir="auto"
                maxLength={200}
                required={n < 2}
                value={text}
                onInput={({ currentTarget }) => write(n, currentTarget.value)}
                {...own}
              />
            )}
          </Field>
          {options.length > 2 && (
            <IconButton
              icon="x"
              label={t('poll.without', { n: n + 1 })}
              onClick={() => put({ options: options.filter((_, at) => at !== n) })}
            />
          )}
        </div>
      ))}
      {options.length < OPTIONS_MAX && (
        <Button onClick={() => put({ options: [...options, ''] })}>{t('poll.more')}</Button>
      )}
      {flag('is_multiple', is_multiple)}
      {flag('is_anonymous', is_anonymous)}
      <Field label={t('poll.end')}>
        {(own) => (
          <input
            class="input"
            type="date"
            min={new Date().toISOString().slice(0, 10)}
            value={until}
            onInput={({ currentTarget }) => put({ until: currentTarget.value })}
            {...own}
          />
        )}
      </Field>
      <Button icon="trash-2" onClick={() => onPoll(undefined)}>
        {t('poll.none')}
      </Button>
    </fieldset>
  );
}
