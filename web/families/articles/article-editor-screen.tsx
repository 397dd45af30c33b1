import { useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { atLocal, fromLocal } from '../../kernel/format.ts';
import { type Address, useRead, useTitle } from '../../kernel/screen.tsx';
import { useSubmit } from '../../kernel/submit.ts';
import { t, type Word } from '../../kernel/words.ts';
import { errorAt, Field } from '../../ui/field.tsx';
import { Failed, Gone, Loading } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import '../content/content.css';
import { AudienceField } from '../writing/audience.tsx';
import { CoverField } from '../writing/cover.tsx';
import { WritingForm } from '../writing/form.tsx';
import { LanguageField } from '../writing/language.tsx';
import { MayNot } from '../writing/may-not.tsx';
import { placesFor, type Rights, useRights } from '../writing/rights.ts';
import { type Base, Writing } from '../writing/writing.ts';
import { type ArticleFields, articleToEdit, createArticle, newArticle, replaceArticle } from './writing.ts';

function ArticleEditorScreen({ id }: Address) {
  const title = t(id ? 'article.edit' : 'article.write');
  const rights = useRights('organisation');
  const own = useRights('article', Number(id) || undefined);
  const { value: base, failed, again } = useRead(async () => (id ? articleToEdit(Number(id)) : undefined), [id]);
  useTitle(title);
  if (failed?.status === 404) return <Gone />;
  if (failed) return <Failed refusal={failed} again={again} />;
  if (!rights || (id && (!base || !own))) return <Loading lines={8} />;
  const { isForAll, spaces } = placesFor(rights, 'write_articles');
  const isAllowed = id ? own?.can.includes('edit') : isForAll || spaces.length > 0;
  if (!isAllowed) return <MayNot title={title} isNew={!id} />;
  return (
    <>
      <h1>{title}</h1>
      <ArticleForm id={Number(id) || undefined} base={base} rights={rights} />
    </>
  );
}

const actions: Record<ArticleFields['when'], Word> = {
  now: 'writing.publish',
  later: 'writing.schedule',
  draft: 'writing.save_draft',
  published: 'writing.save',
};
interface FormProps {
  id: number | undefined;
  base: Base<ArticleFields> | undefined;
  rights: Rights;
}
function ArticleForm({ id, base, rights }: FormProps) {
  const { route } = useLocation();
  const { isForAll, spaces } = placesFor(rights, 'write_articles');
  const writing = useMemo(() => {
    const audience = { type: isForAll ? 'Global' : 'spaces', spaces: isForAll ? [] : spaces.slice(0, 1), teams: [] };
    return new Writing<ArticleFields>(`articles/${id ?? 'new'}`, base ?? newArticle(audience as never));
  }, [id, base]);
  const { submit, isBusy, failed } = useSubmit(async () => {
    const saved = await writing.save(
      (fields, etag) => (id ? replaceArticle(id, fields, base?.fields.audience, etag) : createArticle(fields)),
      () => articleToEdit(id ?? 0),
    );
    if (!saved) return;
    route(`/articles/${saved.data.slug}`);
    say(t('writing.saved'));
  });
  const fields = writing.fields.value;
  const set = (patch: Partial<ArticleFields>) => writing.set(patch);
  const space_ids = fields.audience.type === 'spaces' ? fields.audience.spaces.map((one) => one.id) : [];
  return (
    <WritingForm
      writing={writing}
      place={space_ids.length > 0 ? { space_ids } : {}}
      failed={failed}
      isBusy={isBusy}
      submit={submit}
      action={t(actions[fields.when])}
      before={
        <CoverField
          id={fields.cover_image_id}
          addresses={writing.addresses}
          onCover={(cover_image_id) => set({ cover_image_id })}
        />
      }
    >
      <AudienceField
        audience={fields.audience}
        onAudience={(audience) => set({ audience })}
        isForAll={isForAll}
        spaces={spaces}
      />
      <div class="pair">
        {!id && <LanguageField value={fields.language} onChoice={(language) => set({ language })} />}
        {fields.when !== 'published' && <WhenField fields={fields} set={set} error={errorAt(failed, 'publish_at')} />}
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={fields.requires_acknowledgement}
          onChange={({ currentTarget }) => set({ requires_acknowledgement: currentTarget.checked })}
        />
        {t('writing.acknowledge')}
      </label>
      {fields.requires_acknowledgement && (
        <TimeField
          label={t('writing.due')}
          value={fields.acknowledgement_due_at}
          onTime={(acknowledgement_due_at) => set({ acknowledgement_due_at })}
          error={errorAt(failed, 'acknowledgement_due_at')}
        />
      )}
    </WritingForm>
  );
}

interface WhenProps {
  fields: ArticleFields;
  set: (patch: Partial<ArticleFields>) => void;
  error: string | undefined;
}
const WhenField = ({ fields: { when, publish_at }, set, error }: WhenProps) => (
  <>
    <Field label={t('writing.when')}>
      {(own) => (
        <select
          class="input"
          value={when}
          onChange={({ currentTarget }) => set({ when: currentTarget.value as ArticleFields['when'] })}
          {...own}
        >
          {(['now', 'later', 'draft'] as const).map((one) => (
            <option key={one} value={one}>
              {t(`writing.${one}`)}
            </option>
          ))}
        </select>
      )}
    </Field>
    {when === 'later' && (
      <TimeField
        label={t('writing.at')}
        value={publish_at}
        onTime={(at) => set({ publish_at: at })}
        error={error}
        required
      />
    )}
  </>
);

interface TimeProps {
  label: string;
  value: string | null;
  onTime: (at: string | null) => void;
  error: string | undefined;
  required?: boolean;
}
const TimeField = ({ label, value, onTime, error, required = false }: TimeProps) => (
  <Field label={label} error={error}>
    {(own) => (
      <input
        class="input"
        type="datetime-local"
        required={required}
        value={atLocal(value)}
        onChange={({ currentTarget }) => onTime(fromLocal(currentTarget.value))}
        {...own}
      />
    )}
  </Field>
);
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default ArticleEditorScreen;
