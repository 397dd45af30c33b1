import { useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type Address, useRead, useTitle } from '../../kernel/screen.tsx';
import { useSubmit } from '../../kernel/submit.ts';
import { t } from '../../kernel/words.ts';
import { ChoiceField, errorAt, Field } from '../../ui/field.tsx';
import { Failed, Gone, Loading } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import '../content/content.css';
import { WritingForm } from '../writing/form.tsx';
import { LanguageField } from '../writing/language.tsx';
import { MayNot } from '../writing/may-not.tsx';
import { placesFor, useRights } from '../writing/rights.ts';
import { type Base, Writing } from '../writing/writing.ts';
import { createPage, newPage, type PageFields, pageToEdit, replacePage } from './writing.ts';

function PageEditorScreen({ id }: Address) {
  const { query } = useLocation();
  const title = t(id ? 'page.edit' : 'page.write');
  const rights = useRights('organisation');
  const own = useRights('page', Number(id) || undefined);
  const asked = [query.space, query.parent].map((one) => Number(one) || null) as [number | null, number | null];
  const { value, failed, again } = useRead(async () => (id ? pageToEdit(Number(id)) : newPage(...asked)), [id]);
  useTitle(title);
  if (failed?.status === 404) return <Gone />;
  if (failed) return <Failed refusal={failed} again={again} />;
  if (!rights || !value || (id && !own)) return <Loading lines={8} />;
  const { isForAll, spaces } = placesFor(rights, 'write_pages');
  const isAllowed = id ? own?.can.includes('edit') : isForAll || spaces.length > 0;
  if (!isAllowed) return <MayNot title={title} isNew={!id} />;
  const first = isForAll ? null : (spaces[0]?.id ?? null);
  const base = id || asked[0] || asked[1] ? value : { ...value, fields: { ...value.fields, space_id: first } };
  return (
    <>
      <h1>{title}</h1>
      <PageForm id={Number(id) || undefined} base={base} isForAll={isForAll} spaces={spaces} />
    </>
  );
}

interface FormProps {
  id: number | undefined;
  base: Base<PageFields>;
  isForAll: boolean;
  spaces: readonly { id: number; name: string }[];
}
function PageForm({ id, base, isForAll, spaces }: FormProps) {
  const { route } = useLocation();
  const key = id ? `pages/${id}` : `pages/new/${base.fields.parent_id ?? ''}`;
  const writing = useMemo(() => new Writing<PageFields>(key, base), [key]);
  const { submit, isBusy, failed } = useSubmit(async () => {
    const saved = await writing.save(
      (fields, etag) => (id ? replacePage(id, fields, etag) : createPage(fields)),
      () => pageToEdit(id ?? 0),
    );
    if (!saved) return;
    route(`/pages/${saved.data.id}`);
    say(t('writing.saved'));
  });
  const { space_id, parent_id, summary, language, is_draft } = writing.fields.value;
  const set = (patch: Partial<PageFields>) => writing.set(patch);
  return (
    <WritingForm
      writing={writing}
      place={space_id ? { space_ids: [space_id] } : {}}
      failed={failed}
      isBusy={isBusy}
      submit={submit}
      action={t('writing.save')}
    >
      <Field label={t('page.summary')} error={errorAt(failed, 'summary')}>
        {(own) => (
          <textarea
            class="input"
            dir="auto"
            maxLength={500}
            value={summary}
            onInput={({ currentTarget }) => set({ summary: currentTarget.value })}
            {...own}
          />
        )}
      </Field>
      {!id && (
        <div class="pair">
          {!parent_id && (
            <ChoiceField
              label={t('page.where')}
              error={errorAt(failed, 'space_id')}
              value={String(space_id ?? '')}
              onChoice={(chosen) => set({ space_id: Number(chosen) || null })}
              none={isForAll ? t('page.everybody') : undefined}
              choices={spaces}
            />
          )}
          <LanguageField value={language} onChoice={(chosen) => set({ language: chosen })} />
        </div>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={is_draft}
          onChange={({ currentTarget }) => set({ is_draft: currentTarget.checked })}
        />
        {t('page.is_draft')}
      </label>
    </WritingForm>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default PageEditorScreen;
