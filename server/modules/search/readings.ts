// How the rows of each family are read, to be indexed and to be shown: one JSON object a row (`Item`, families.ts).
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type ContentNoun, contentNouns, plurals } from '../content/contract.ts';
import { creator, languageOf } from '../content/shown.ts';
import { placeOfAuthor, placeOfSpace, placeOfTeam, reach } from './reach.ts';

/** SQL that gives `json` of each row of `source`, texts cut at `length` characters. */
export type Reading = (source: Sql, length: number) => Sql;

/** Where an item is, and how far it reaches: columns `reach`, `places`, `spaces`. */
interface Standing {
  readonly reach: string;
  readonly places: string;
  readonly spaces: string;
}
const everywhere: Standing = { reach: '0', places: `'{}'::bigint[]`, spaces: `'{}'::bigint[]` };
const visibilityOf = (space: string) => `case (
  select s.visibility from spaces s where s.organisation_id = $1 and s.id = ${space})
  when 'public' then ${reach.public} when 'private' then ${reach.private} else ${reach.hidden} end`;
const listOf = (value: string) => `case when ${value} is null then '{}'::bigint[] else array[${value}]::bigint[] end`;
const inSpace: Standing = {
  reach: `case when t.space_id is null then 0 else ${visibilityOf('t.space_id')} end`,
  places: listOf(placeOfSpace('t.space_id')),
  spaces: listOf('t.space_id'),
};
const targets = (noun: ContentNoun, value: string) => `array(
  select ${value} from ${noun}_audiences a where a.organisation_id = $1 and a.${noun}_id = t.id)`;
const posted = (noun: ContentNoun): Standing => ({
  reach: `case when t.list_bucket = 2 then ${reach.unpublished} else t.list_class end`,
  places: `${targets(noun, `coalesce(${placeOfSpace('a.space_id')}, ${placeOfTeam('a.team_id')})`)}
    || ${placeOfAuthor('t.creator_id')}`,
  spaces: `array(
    select a.space_id from ${noun}_audiences a
    where a.organisation_id = $1 and a.${noun}_id = t.id and a.space_id is not null)`,
});
const ofPages: Standing = {
  reach: `case when t.is_draft then ${reach.unpublished} when t.audience_type <> 'Global' then ${reach.teams}
    else ${inSpace.reach} end`,
  places: `${inSpace.places} || ${posted('page').places}`,
  spaces: inSpace.spaces,
};
const standingOf = (noun: ContentNoun) => (noun === 'page' ? ofPages : posted(noun));

const version = (language: string, title: string, text: string, isHtml: boolean) =>
  `json_build_object('language', ${language}, 'title', ${title}, 'text', left(${text}, LENGTH), 'is_html', ${isHtml})`;
interface Columns extends Standing {
  readonly versions: string;
  readonly names: string;
  readonly url: string;
  readonly at: string;
  readonly creator_id: string;
  readonly creator: string;
}
const written = { at: 't.created_at', creator_id: 't.creator_id', creator: 'w.creator' };
const unwritten = { at: 't.created_at', creator_id: 'null::bigint', creator: 'null::json' };

const reading =
  (columns: Columns): Reading =>
  (source, length) => {
    const versions = columns.versions.replaceAll('LENGTH', String(length));
    const author = columns.creator === written.creator ? sql`cross join lateral (select ${creator}) w` : trusted('');
    return sql`
      select json_build_object('id', t.id, 'sequence', t.sequence, 'at', iso(${trusted(columns.at)}),
        'creator_id', ${trusted(columns.creator_id)}, 'reach', ${trusted(columns.reach)},
        'places', ${trusted(columns.places)}, 'spaces', ${trusted(columns.spaces)},
        'names', array[${trusted(columns.names)}], 'versions', ${trusted(versions)},
        'url', (select o.web_url from organisations o where o.id = $1) || ${trusted(columns.url)},
        'creator', ${trusted(columns.creator)}, 'created_at', iso(t.created_at), 'updated_at', iso(t.updated_at)
        )::text as json
      from ${source} t ${author}`;
  };
const oneVersion = (title: string, text: string) => `json_build_array(${version('null', title, text, false)})`;

/** Title and text of a family of content, of `t` or of one of its translations `x`. */
const words: Record<ContentNoun, (alias: string) => [title: string, text: string, isHtml: boolean]> = {
  page: (x) => [`${x}.title`, `${x}.subtitle || E'\\n' || ${x}.summary || E'\\n' || ${x}.html_content`, true],
  article: (x) => [`${x}.title`, `${x}.subtitle || E'\\n' || ${x}.html_content`, true],
  update: (x) => [`''`, `${x}.text`, false],
  kudos: (x) => [`''`, `${x}.text`, false],
  event: (x) => [`${x}.title`, `${x}.location || E'\\n' || ${x}.description || E'\\n' || ${x}.html_content`, true],
};
export function contentReading(noun: ContentNoun): Reading {
  const versionOf = (alias: string, language: string) => {
    const [title, text, isHtml] = words[noun](alias);
    return version(language, title, text, isHtml);
  };
  return reading({
    ...standingOf(noun),
    ...written,
    at: noun === 'article' ? 'coalesce(t.published_at, t.created_at)' : 't.created_at',
    names: 't.external_id::text',
    versions: `(
      select json_agg(v.version order by v.language nulls first) from (
        select null as language, ${versionOf('t', `coalesce(${languageOf})`)} as version
        union all
        select x.language, ${versionOf('x', 'x.language')} from ${noun}_translations x
        where x.organisation_id = $1 and x.${noun}_id = t.id) v)`,
    url: `'/${plurals[noun]}/' || ${noun === 'article' ? 't.slug' : 't.id'}`,
  });
}

/** What a comment is about says where it is. */
const discussed = contentNouns.map((noun) => {
  const { reach: far, places, spaces } = standingOf(noun);
  return `
    select ${far} as reach, ${places} as places, ${spaces} as spaces,
      '/${plurals[noun]}/' || ${noun === 'article' ? 't.slug' : 't.id'} as url
    from ${plurals[noun]} t where t.organisation_id = $1 and c.kind = '${noun}' and t.id = c.content_id
      and ${noun === 'page' ? 'true' : 't.list_bucket <> 1'}`;
});
const commentReading: Reading = (source, length) =>
  reading({
    ...{ reach: 't.reach', places: 't.places', spaces: 't.spaces' },
    ...written,
    names: 't.external_id',
    versions: oneVersion(`''`, 't.text'),
    url: 't.url',
  })(sql`(select c.*, s.* from ${source} c cross join lateral (${trusted(discussed.join(' union all '))}) s)`, length);

export const readings = {
  comment: commentReading,
  user: reading({
    ...everywhere,
    ...unwritten,
    names: 't.external_id, t.email, t.display_name',
    versions: oneVersion(
      `t.name || case when t.display_name <> t.name then ' (' || t.display_name || ')' else '' end`,
      `concat_ws(' · ', nullif(t.job_title, ''), t.email)`,
    ),
    url: `'/directory/people/' || t.id`,
  }),
  space: reading({
    ...unwritten,
    reach: `case t.visibility when 'public' then ${reach.public} when 'private' then ${reach.known}
      else ${reach.hidden} end`,
    places: `array[${placeOfSpace('t.id')}]`,
    spaces: 'array[t.id]',
    names: 't.external_id',
    versions: oneVersion('t.name', 't.description'),
    url: `'/spaces/' || t.id`,
  }),
  team: reading({
    ...everywhere,
    ...unwritten,
    names: 't.external_id',
    versions: oneVersion('t.name', `''`),
    url: `'/teams/' || t.id`,
  }),
  document: reading({
    ...inSpace,
    ...written,
    names: 'null::text',
    versions: oneVersion(
      't.label',
      `concat_ws(E'\\n', nullif(t.description, ''), (
        select concat_ws(E'\\n', f.file_name, x.text)
        from content_files a
        join assets f on f.organisation_id = $1 and f.id = a.asset_id
        left join search_files x on x.organisation_id = $1 and x.asset_id = f.id
        where a.organisation_id = $1 and a.kind = 'document' and a.content_id = t.id and a.role = 'file' limit 1))`,
    ),
    url: `'/documents/' || t.id`,
  }),
  goal: reading({
    ...everywhere,
    ...unwritten,
    names: 'null::text',
    versions: oneVersion('t.title', 't.description'),
    url: `'/goals/' || t.id`,
  }),
  badge: reading({
    ...everywhere,
    ...unwritten,
    names: 'null::text',
    versions: oneVersion('t.title', 't.description'),
    url: `'/badges/' || t.id`,
  }),
} satisfies Record<string, Reading>;
