// What writing an article and writing a page have in common: title, text, what is kept, what somebody else changed.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Editor } from '../../editor/editor.tsx';
import type { Refusal } from '../../kernel/call.ts';
import { ago } from '../../kernel/format.ts';
import { Html } from '../../kernel/html.tsx';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { errorAt, Field } from '../../ui/field.tsx';
import type { Place } from '../mentions/data.ts';
import type { Texts, Writing } from './writing.ts';
import './writing.css';

interface Props<F extends Texts> {
  writing: Writing<F>;
  place: Place;
  failed: Refusal | undefined;
  isBusy: boolean;
  submit: (event: SubmitEvent) => void;
  action: string;
  /** Between the titles and the text. */
  before?: ComponentChildren;
  children?: ComponentChildren;
}
export function WritingForm<F extends Texts>({ writing, place, failed, isBusy, submit, action, ...parts }: Props<F>) {
  const { title, subtitle, html_content } = writing.fields.value;
  useEffect(() => {
    const keepNow = () => writing.keepNow();
    addEventListener('pagehide', keepNow);
    return () => {
      removeEventListener('pagehide', keepNow);
    };
  }, [writing]);
  const set = (patch: Partial<Texts>) => writing.set(patch as Partial<F>);
  return (
    <form class="writing" onSubmit={submit}>
      <Kept writing={writing} />
      <Field label={t('writing.title')} error={errorAt(failed, 'title')}>
        {(own) => (
          <input
            class="input titled"
            dir="auto"
            required
            maxLength={500}
            value={title}
            onInput={({ currentTarget }) => set({ title: currentTarget.value })}
            {...own}
          />
        )}
      </Field>
      <Field label={t('writing.subtitle')} error={errorAt(failed, 'subtitle')}>
        {(own) => (
          <input
            class="input"
            dir="auto"
            maxLength={1000}
            value={subtitle}
            onInput={({ currentTarget }) => set({ subtitle: currentTarget.value })}
            {...own}
          />
        )}
      </Field>
      {parts.before}
      <Editor
        key={writing.revision.value}
        label={t('writing.text')}
        html={html_content}
        addresses={writing.addresses}
        place={place}
        onInput={() => writing.typed()}
        hold={writing.hold}
        error={errorAt(failed, 'html_content')}
      />
      {parts.children}
      <Conflict writing={writing} />
      {failed && (
        <p class="error" role="alert">
          {failed.status === 0
            ? t('state.offline')
            : failed.status === 403
              ? t('writing.forbidden')
              : t('state.failed')}{' '}
          {failed.status !== 0 && failed.errors.map(({ path, message }) => `${path} ${message}`).join(' ')}{' '}
          {t('writing.kept')}
        </p>
      )}
      <div class="ending">
        <Button type="submit" look="main" disabled={isBusy || title.trim() === ''}>
          {action}
        </Button>
      </div>
    </form>
  );
}

function Kept<F extends Texts>({ writing }: { writing: Writing<F> }) {
  const [since, aside] = [writing.restored.value, writing.aside.value];
  if (aside)
    return (
      <p class="notice" role="status">
        {t('writing.aside')} <Button onClick={() => writing.bringBack()}>{t('writing.bring_back')}</Button>
      </p>
    );
  if (!since) return null;
  return (
    <p class="notice" role="status">
      {t('writing.restored', { when: ago(since) })}{' '}
      <Button onClick={() => writing.discard()}>{t('writing.discard')}</Button>
    </p>
  );
}

/** Both texts, and what shall hold. */
function Conflict<F extends Texts>({ writing }: { writing: Writing<F> }) {
  const theirs = writing.conflict.value;
  if (!theirs) return null;
  const mine = writing.fields.value;
  return (
    <section class="conflict" role="alert" aria-labelledby="conflict">
      <h2 id="conflict">{t('writing.conflict')}</h2>
      <p>{t('writing.conflict_why')}</p>
      <div class="versions">
        <Version name={t('writing.theirs')} fields={theirs.fields} addresses={writing.addresses} />
        <Version name={t('writing.mine')} fields={mine} addresses={writing.addresses} />
      </div>
      <p class="ending">
        <Button onClick={() => writing.yield()}>{t('writing.take_theirs')}</Button>
        <Button onClick={() => writing.insist()}>{t('writing.keep_mine')}</Button>
      </p>
    </section>
  );
}
interface VersionProps {
  name: string;
  fields: Texts;
  addresses: Map<string, string>;
}
const Version = ({ name, fields: { title, subtitle, html_content }, addresses }: VersionProps) => (
  <section class="card" aria-label={name}>
    <p class="kind">{name}</p>
    <h3 dir="auto">{title}</h3>
    {subtitle && <p dir="auto">{subtitle}</p>}
    <Html html={html_content.replaceAll(/asset:\/\/\d+/g, (name) => addresses.get(name) ?? name)} />
  </section>
);
