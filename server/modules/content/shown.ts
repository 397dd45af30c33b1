// How content is shown: in a list, alone, and in an event.
import { joined, jsonOf, nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Actor, isViewer } from '../../kernel/people/auth.ts';
import { holds } from '../../kernel/people/scopes.ts';
import { signedHtml } from '../assets/queries.ts';
import { audienceOf } from '../audiences/queries.ts';
import { knows, spacesKnownTo } from '../spaces/access.ts';
import { type ContentNoun, type PostedNoun, plurals } from './contract.ts';
import { type ContentColumn, type ContentFamily, type Reading, viewerColumns } from './family.ts';
import { reachesAll } from './reach.ts';

/** Scalar: the author of `t`, in short. */
export const creator = trusted(`(
  select json_build_object('id', c.id, 'name', c.name, 'email', c.email, 'job_title', c.job_title)
  from users c where c.organisation_id = $1 and c.id = t.creator_id) as creator`);
const web_url = '(select o.web_url from organisations o where o.id = $1)';

/** Scalar: what is written without a language has the organisation's. */
export const organisationsLanguage = '(select o.locale from organisations o where o.id = $1)';
/** For `coalesce`: rows of earlier versions say no language. */
export const languageOf = `t.language, ${organisationsLanguage}`;

/** Columns that end the reply of every family; `t` is the row. */
export const ending = (noun: keyof typeof plurals, name = 't.id') =>
  trusted(`iso(t.created_at) as created_at, iso(t.updated_at) as updated_at, t.sequence,
    ${web_url} || '/${plurals[noun]}/' || ${name} as permalink`);
/** Scalar: the audience of `t`, as far as the actor may know its spaces. Without one, for events: all of it. */
export const audienceFor = (noun: ContentNoun, actor: Actor | undefined): Sql =>
  audienceOf(noun, actor && spacesKnownTo(actor).length < 3 ? knows(actor, trusted('s')) : undefined);
/** Scalar: how many reacted to `t`, by reaction. */
export const reactionsOf = (t: string) =>
  trusted(`
    case when ${t}.likes_count = 0 then ${t}.reactions
      else ${t}.reactions || jsonb_build_object('like', ${t}.likes_count) end`);
/** The last columns of what is posted (postedFields). Without an actor, for events: all of it. */
export const postedColumns = (noun: PostedNoun, actor: Actor | undefined): Sql => {
  return sql`${audienceFor(noun, actor)} as audience, t.likes_count, ${reactionsOf('t')} as reactions, t.comments_count,
    ${ending(noun, noun === 'article' ? 't.slug' : 't.id')}`;
};
/** Scalar: the one space of the posted content `t`. */
export const onlySpace = (noun: PostedNoun) =>
  trusted(`case when t.audience_type = 'spaces' then (
    select case when count(*) = 1 then min(a.space_id) end
    from ${noun}_audiences a where a.organisation_id = $1 and a.${noun}_id = t.id) end`);

/** What a posted family says of its visibility. */
export const postedVisibility = (noun: PostedNoun) => ({ isPublic: reachesAll, space_id: onlySpace(noun) });

/** Column: what `t` is to the person who reads it. Programs are not told, and events are for nobody in particular. */
function viewerOf({ noun, edits }: ContentFamily, { actor }: Reading): Sql {
  if (!actor || !isViewer(actor)) return nothing;
  const may = holds(actor.scopes, `${plurals[noun]}.*.write`) ? edits(actor) : trusted('false');
  const columns = [
    ...viewerColumns.all.flatMap((of) => of(noun, actor) ?? []),
    sql`own.may_edit, own.may_edit as may_delete`,
  ];
  return sql`, (
    select row_to_json(v) from (
      select ${joined(columns)} from (select ${may} as may_edit) own) v) as viewer`;
}

const shownValue = (name: string, { type, isTranslated, shown }: ContentColumn, translated: boolean) => {
  if (typeof shown === 'string') return shown;
  if (type === 'timestamptz') return `iso(t.${name})`;
  if (name === 'language') return `coalesce(${translated ? 'tr.language, ' : ''}${languageOf})`;
  return translated && isTranslated ? `coalesce(tr.${name}, t.${name})` : `t.${name}`;
};
const columnTexts = new Map<string, string>();
/** The columns that are shown as they are, as text: the same for every reader of a language. */
function plainColumns({ noun, columns }: ContentFamily, translated: boolean): string {
  const key = `${noun} ${translated}`;
  const text =
    columnTexts.get(key) ??
    Object.entries(columns)
      .filter(([, column]) => !column.isHidden && !column.hasReferences)
      .map(([name, column]) => `${shownValue(name, column, translated)} as ${name}`)
      .join(', ');
  columnTexts.set(key, text);
  return text;
}
/** Of a row `t`, and `tr` with the wanted translation. */
function columnsOf(family: ContentFamily, reading: Reading): Sql {
  const translated = reading.language !== undefined;
  const html = Object.entries(family.columns)
    .filter(([, { hasReferences }]) => hasReferences)
    .map(([name, column]) => {
      const value = shownValue(name, column, translated);
      const shown = reading.sign_url ? signedHtml(value, family.noun, reading.now) : trusted(value);
      return sql`${shown} as ${trusted(name)},`;
    });
  const signed = joined(html, ' ');
  const columns = sql`t.id, ${trusted(plainColumns(family, translated))}, ${signed} ${family.shown(reading)}`;
  return sql`${columns}${viewerOf(family, reading)}`;
}

const inLanguage = (noun: string, language: string | undefined) =>
  language === undefined
    ? nothing
    : sql`left join ${trusted(`${noun}_translations`)} tr on tr.organisation_id = $1
        and tr.${trusted(`${noun}_id`)} = t.id and lower(tr.language) = lower(${language})`;

const wholeRecord = trusted('row_to_json(r)');
const record = (family: ContentFamily, source: Sql, reading: Reading, more = nothing) => sql`
  from ${source} t ${inLanguage(family.noun, reading.language)}
  cross join lateral (select ${columnsOf(family, reading)}${more}) r`;

/** `json`, as text, of rows of `source`; `more` are further columns. */
export const shownRows = (family: ContentFamily, source: Sql, reading: Reading, more = nothing): Sql =>
  family.json
    ? sql`select (${family.json})::text as json ${record(family, source, reading, more)}`
    : jsonOf(sql`
        select ${columnsOf(family, reading)}${more} from ${source} t ${inLanguage(family.noun, reading.language)}`);

/** CTE `shown` for an event, from a CTE of rows: what everybody may hear of, whole. */
export const announced = (family: ContentFamily, source: string, now: string): Sql => sql`
  shown as (
    select ${family.json ?? wholeRecord} as json, ${family.isPublic} as is_public, ${family.space_id} as space_id
    ${record(family, trusted(source), { now })} where ${family.isNews ?? trusted('true')})`;

/** Column: the languages that `t` is translated into. */
export const languagesOf = ({ noun }: ContentFamily) =>
  trusted(`, (
    select coalesce(json_agg(x.language order by x.language), '[]')
    from ${noun}_translations x where x.organisation_id = $1 and x.${noun}_id = t.id) as languages`);
