// What a request to create, replace or delete content does, step by step. A family's *writer* says what is its own.
import type { Key } from '../../kernel/contract/contract.ts';
import { noteChange } from '../../kernel/data/changes.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { deleteOnce, unlessDeleted } from '../../kernel/data/deletion.ts';
import type { Values } from '../../kernel/data/rows.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import type { Call } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { checkAssets, type Placing, references, withContentFiles } from '../assets/access.ts';
import type { GivenFiles } from '../assets/contract.ts';
import { attachReferences } from '../assets/queries.ts';
import { type AudienceTargets, everybody, targetsOf } from '../audiences/access.ts';
import type { NewAudience } from '../audiences/contract.ts';
import { replaceAudience } from '../audiences/queries.ts';
import { mentionsSomebody } from '../mentions/access.ts';
import { replaceHtmlMentions } from '../mentions/queries.ts';
import { authorOf, importedAt, type NamedPerson } from '../users/access.ts';
import { happened } from '../users/happenings.ts';
import { type ContentRow, contentForEditing } from './access.ts';
import { type ContentFamily, hangsOnContent, type PostedFamily } from './family.ts';
import { type FieldOf, refuseUnlessMayPost } from './posting.ts';
import * as statements from './statements.ts';

/** What every posted body may say. */
export interface Written extends GivenFiles, NamedPerson {
  audience?: NewAudience;
  language?: string | null;
  created_at?: string;
}
export interface Writer<Body extends Written> {
  readonly family: PostedFamily;
  /** Its columns as the body says. `row`: what is replaced; `isTranslation`: only its words are. */
  values(tx: Tx, actor: Actor, body: Body, replaced?: { row: ContentRow; isTranslation: boolean }): Promise<Values>;
  /** Columns of a new row besides. */
  initial?(tx: Tx, actor: Actor, body: Body, audience: AudienceTargets): Promise<Values>;
  /** Whom it is for, where the body can say that in another way than `audience`. */
  targets?(body: Body): AudienceTargets | undefined;
  targetField?(body: Body): FieldOf | undefined;
  /** Throws when the body asks for what the content, which it names, cannot be. */
  refuseUnlessMayChange?(tx: Tx, id: number, body: Body): Promise<void>;
  /** What belongs to it beside its row. Returns whether the body changed that. */
  belongings?(tx: Tx, actor: Actor, id: number, body: Body, isNew: boolean): Promise<boolean>;
  /** Others are addressed than before. */
  retargeted?(tx: Tx, id: number): Promise<unknown>;
  /** Tells of it, and answers what the actor sees. */
  created(tx: Tx, actor: Actor, id: number, body: Body, values: Values): Promise<Json>;
  /** `language`: that of the translation that was written. */
  replaced(tx: Tx, actor: Actor, id: number, body: Body, language: string | undefined): Promise<Json>;
}

type Asked = Pick<Call, 'tx' | 'actor' | 'services'>;
const htmlColumn = ({ columns }: ContentFamily) => Object.keys(columns).find((name) => columns[name]?.hasReferences);

/** Content may show files of its author's, and those it shows already. */
export const refuseUnlessMayShow = (tx: Tx, actor: Actor, noun: string, html: string, id?: number) =>
  checkAssets(
    tx,
    actor,
    [{ field: 'html_content', accepts: 'any', ids: references(html), single: true }],
    id === undefined ? undefined : { kind: noun, id },
  );
/** What its HTML refers to, in any language, becomes what it shows. */
export async function showReferences(tx: Tx, family: ContentFamily, id: number) {
  const column = htmlColumn(family);
  if (column) await attachReferences(tx, family.noun, id, family.name, column);
}

/** Who is spoken of is found in its HTML, in any language. */
export async function noteMentions(tx: Tx, actor: Actor, { noun, name, columns }: ContentFamily, id: number) {
  await replaceHtmlMentions(tx, actor, noun, id, name, 'html' in columns ? 'html' : 'html_content');
  await happened(tx, { kind: 'content', noun, thing_id: id, actor_id: actor.user_id });
}

/**
 * Undefined: the content itself is written, and no translation. RFC 5646 2.1.1: letter case makes no other language.
 */
export const otherLanguage = ({ language: own }: { language: string }, asked: string | null | undefined) =>
  asked != null && asked.toLowerCase() !== own.toLowerCase() ? asked : undefined;

const targetsIn = <Body extends Written>({ targets }: Writer<Body>, body: Body) =>
  targets ? targets(body) : targetsOf(body.audience);

export const createContent = <Body extends Written>(call: Asked, writer: Writer<Body>, body: Body): Promise<Json> =>
  withContentFiles(call, body, (place) =>
    call.tx.transaction(async (tx) => {
      const [{ actor }, { family }] = [call, writer];
      const audience = targetsIn(writer, body) ?? everybody;
      await refuseUnlessMayPost(tx, actor, family, audience, writer.targetField?.(body));
      const creator_id = await authorOf(tx, actor, body);
      const created_at = importedAt(tx, actor, body.created_at);
      const values = await writer.values(tx, actor, body);
      const initial = await writer.initial?.(tx, actor, body, audience);
      const id = await statements.insertContent(tx, family, values, { creator_id, created_at, audience, initial });
      await place(tx, family.noun, id);
      await writer.belongings?.(tx, actor, id, body, true);
      await showReferences(tx, family, id);
      if (Object.values(values).some((value) => typeof value === 'string' && mentionsSomebody(value)))
        await noteMentions(tx, actor, family, id);
      return writer.created(tx, actor, id, body, { ...values, ...initial });
    }),
  );

export const replaceContent = <Body extends Written>(call: Asked, writer: Writer<Body>, key: Key, body: Body) =>
  withContentFiles(call, body, (place) =>
    call.tx.transaction(async (tx): Promise<Json> => {
      const [{ actor }, { family }] = [call, writer];
      const row = await contentForEditing(tx, actor, family.noun, key);
      const language = otherLanguage(row, body.language);
      const values = await writer.values(tx, actor, body, { row, isTranslation: language !== undefined });
      const changed =
        language === undefined
          ? await rewrite(tx, actor, writer, row.id, values, body, place)
          : await translate(tx, family, row.id, language, values, place);
      if (!changed) return statements.getContent(tx, family, row.id, actor, language);
      await showReferences(tx, family, row.id);
      await noteMentions(tx, actor, family, row.id);
      return writer.replaced(tx, actor, row.id, body, language);
    }),
  );

/** Files are of the content, whatever the language. Returns whether anything is other than before. */
async function translate(tx: Tx, family: ContentFamily, id: number, language: string, values: Values, place: Placing) {
  const isRewritten = await statements.replaceTranslation(tx, family, id, language, values);
  const isIllustrated = await place(tx, family.noun, id);
  if (isIllustrated && !isRewritten) await statements.touchContent(tx, family, id);
  return isRewritten || isIllustrated;
}

/** Returns whether anything is other than before. */
async function rewrite<Body extends Written>(
  tx: Tx,
  actor: Actor,
  writer: Writer<Body>,
  id: number,
  values: Values,
  body: Body,
  place: Placing,
) {
  const { family } = writer;
  const audience = targetsIn(writer, body);
  if (audience) await refuseUnlessMayPost(tx, actor, family, audience, writer.targetField?.(body));
  await writer.refuseUnlessMayChange?.(tx, id, body);
  const isRewritten = (await statements.replaceRow(tx, family, id, values, audience)) !== undefined;
  const isRetargeted = audience !== undefined && (await replaceAudience(tx, family.noun, id, audience, family));
  if (isRetargeted) await noteChange(tx, family.noun, id);
  if (isRetargeted) await writer.retargeted?.(tx, id);
  const isIllustrated = await place(tx, family.noun, id);
  const hasOthers = (await writer.belongings?.(tx, actor, id, body, false)) ?? false;
  const isChanged = isRetargeted || isIllustrated || hasOthers;
  if (isChanged && !isRewritten) await statements.touchContent(tx, family, id);
  return isRewritten || isChanged;
}

/** The content, if the actor may delete it; a DELETE that comes too late for that learns it. */
export const contentToDelete = (call: Pick<Call, 'tx' | 'actor' | 'client'>, { noun }: ContentFamily, key: Key) =>
  unlessDeleted(call, noun, key, () => contentForEditing(call.tx, call.actor, noun, key));

/** Removes content with all that hangs on it. `remove` deletes the rows and returns their ids. */
export async function deleteContent(
  call: Pick<Call, 'tx' | 'actor' | 'client' | 'services'>,
  family: ContentFamily,
  key: Key,
  remove: (tx: Tx, id: number) => Promise<number[]> = (tx, id) => statements.deleteRows(tx, family, id),
): Promise<Json> {
  const { id, external_id } = await contentToDelete(call, family, key);
  await deleteOnce(call, family.noun, id, async (tx) => {
    const deleted = await remove(tx, id);
    for (const letGo of hangsOnContent.all) await letGo(tx, family.noun, deleted.length > 0 ? deleted : [id]);
    return deleted.length > 0;
  });
  return toJson({ id, external_id });
}
