import type { Key } from '../../kernel/contract/contract.ts';
import { refuse, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { deleteOnce, findDeletedId, tooLate } from '../../kernel/data/deletion.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { routes } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { htmlOf, plainText, sanitizeHtml } from '../../kernel/text/html.ts';
import { checkAssets, type Placing, references, withContentFiles } from '../assets/access.ts';
import { attachReferences } from '../assets/queries.ts';
import { everybody, targetsOf } from '../audiences/access.ts';
import { replaceAudience } from '../audiences/queries.ts';
import { deleteWhatHangsOn } from '../comments/queries.ts';
import { checkTargets, contentFor, contentForEditing } from '../content/access.ts';
import { hasOpenSpace } from '../content/queries.ts';
import { authorOf, importedAt } from '../users/access.ts';
import { claimSeat, invitationFor } from './access.ts';
import { DESCRIPTION_MAX, type EventReplacement, events, type NewEvent } from './contract.ts';
import * as queries from './queries.ts';
import { listAttendees, lockEvent, replaceAnswer } from './rsvps.ts';
import { timesOf } from './times.ts';

export const eventRoutes = routes(events, {
  createEvent: (call) =>
    withContentFiles(call, call.body, (place) => call.tx.transaction((tx) => create(tx, call.actor, call.body, place))),
  listEvents: ({ tx, actor, query }) => queries.listEvents(tx, actor, query),
  getEvent: async ({ tx, actor, params, query }) =>
    (await queries.findEvent(tx, actor, params.id, query)) ?? refuseNotFound(),
  replaceEvent: (call) =>
    withContentFiles(call, call.body, (place) =>
      call.tx.transaction((tx) => replace(tx, call.actor, call.params.id, call.body, place)),
    ),
  async deleteEvent(call) {
    const { tx, actor, params, client } = call;
    const event = await contentForEditing(tx, actor, 'event', params.id).catch(async (error) => {
      const id = typeof params.id === 'number' ? params.id : await findDeletedId(tx, 'event', params.id.external_id);
      return error.code === 'not_found' && id !== undefined
        ? tooLate(tx, 'event', id, client.received_micros)
        : Promise.reject(error);
    });
    await deleteOnce(call, 'event', event.id, async (inside) => {
      const deleted = await queries.deleteEvent(inside, event.id);
      await deleteWhatHangsOn(inside, 'event', [event.id]);
      return deleted;
    });
    return toJson({ id: event.id, external_id: event.external_id });
  },
  answerEvent: ({ tx, actor, params, body: { status, created_at, ...named } }) =>
    tx.transaction(async (inside) => {
      const invitation = await invitationFor(inside, actor, params.id, named);
      await claimSeat(inside, actor, invitation, status);
      return replaceAnswer(
        inside,
        invitation.event_id,
        invitation.user_id,
        status,
        importedAt(inside, actor, created_at),
      );
    }),
  withdrawAnswer: ({ tx, actor, params, query }) =>
    tx.transaction(async (inside) => {
      const { event_id, user_id } = await invitationFor(inside, actor, params.id, query);
      if (!(await lockEvent(inside, event_id))) refuseNotFound();
      return replaceAnswer(inside, event_id, user_id, null);
    }),
  listAttendees: async ({ tx, actor, params, query }) =>
    listAttendees(tx, (await contentFor(tx, actor, 'event', params.id)).id, query.status, query.skip, query.take),
});

async function create(tx: Tx, actor: Actor, body: NewEvent, place: Placing): Promise<Json> {
  const audience = targetsOf(body.audience) ?? everybody;
  await checkTargets(tx, actor, 'event', audience);
  const fields = await fieldsOf(tx, actor, body);
  const creator_id = await authorOf(tx, actor, body);
  const id = await queries.insertEvent(tx, {
    ...fields,
    creator_id,
    created_at: importedAt(tx, actor, body.created_at),
    audience,
  });
  await place(tx, 'event', id);
  if (references(fields.html_content).length > 0) await attachReferences(tx, 'event', id, 'events', 'html_content');
  return queries.announcePublished(tx, actor, id);
}

async function replace(tx: Tx, actor: Actor, key: Key, body: EventReplacement, place: Placing): Promise<Json> {
  const { id, language } = await contentForEditing(tx, actor, 'event', key);
  const fields = await fieldsOf(tx, actor, body, id);
  const other =
    body.language && language && body.language.toLowerCase() !== language.toLowerCase() ? body.language : undefined;
  const rewritten = other ? await translate(tx, id, other, fields) : await rewrite(tx, actor, id, fields, body);
  const illustrated = await place(tx, 'event', id);
  if (!rewritten && !illustrated) return queries.getEvent(tx, actor, id);
  if (rewritten) await attachReferences(tx, 'event', id, 'events', 'html_content');
  else await queries.touchEvent(tx, id);
  return queries.announceUpdated(tx, actor, id);
}

/** Returns whether anything is other than before. */
async function rewrite(
  tx: Tx,
  actor: Actor,
  id: number,
  fields: queries.EventFields,
  body: EventReplacement,
): Promise<boolean> {
  const audience = targetsOf(body.audience);
  if (audience) await checkTargets(tx, actor, 'event', audience);
  if (body.is_archived === false && !(await hasOpenSpace(tx, 'event', id)) && !audience)
    refuse('space_archived', 'Its space is archived; bring that back first.', { path: 'is_archived' });
  const changed = await queries.updateEvent(tx, id, fields, audience);
  const retargeted = audience !== undefined && (await replaceAudience(tx, 'event', id, audience));
  if (retargeted && !changed) await queries.touchEvent(tx, id);
  return changed || retargeted;
}

const translate = (tx: Tx, id: number, language: string, { title, description, html_content, location = '' }: Fields) =>
  queries.upsertTranslation(tx, id, { language, title, description, html_content, location });

type Fields = Awaited<ReturnType<typeof fieldsOf>>;
async function fieldsOf(tx: Tx, actor: Actor, body: EventReplacement, id?: number) {
  const pictures = {
    field: 'html_content',
    accepts: 'any',
    ids: references(body.html_content ?? ''),
    single: true,
  } as const;
  await checkAssets(tx, actor, [pictures], id === undefined ? undefined : { kind: 'event', id });
  const timezone = body.timezone ?? (await queries.getTimezone(tx, id));
  return { ...body, ...timesOf(body, timezone), timezone, ...wordsOf(body) };
}

/** One of them is enough: the other says the same. */
const wordsOf = ({ description, html_content }: EventReplacement) => ({
  description: description ?? plainText(html_content ?? '').slice(0, DESCRIPTION_MAX),
  html_content: html_content === undefined ? htmlOf(description ?? '') : sanitizeHtml(html_content),
});
