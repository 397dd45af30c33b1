import type { Actor } from '../../kernel/auth.ts';
import type { Key } from '../../kernel/contract.ts';
import type { Json, Tx } from '../../kernel/db.ts';
import { deleteOnce, findDeletedId, tooLate } from '../../kernel/deletion.ts';
import { toJson } from '../../kernel/envelope.ts';
import { forbidden, notFound } from '../../kernel/errors.ts';
import { htmlOf, plainText, sanitizeHtml } from '../../kernel/html.ts';
import { keyedRoutes } from '../../kernel/routes.ts';
import { everybody, targetsOf } from '../audiences/access.ts';
import { replaceAudience } from '../audiences/queries.ts';
import { checkTargets, contentFor, contentForEditing } from '../content/access.ts';
import { authorOf, pastOnly } from '../users/access.ts';
import { claimSeat, invitationFor } from './access.ts';
import { DESCRIPTION_MAX, type EventReplacement, events } from './contract.ts';
import * as queries from './queries.ts';
import { listAttendees, lockEvent, replaceAnswer } from './rsvps.ts';
import { timesOf } from './times.ts';

export const eventRoutes = keyedRoutes('events', 'The calendar: events, who comes, and their translations.', events, {
  createEvent: ({ tx, actor, body }) =>
    tx.transaction(async (inside) => {
      const audience = targetsOf(body.audience) ?? everybody;
      await checkTargets(inside, actor, 'event', audience);
      const id = await queries.insertEvent(inside, {
        ...(await fieldsOf(inside, body)),
        creator_id: await authorOf(inside, actor, body),
        created_at: pastOnly(inside, body.created_at),
        audience,
      });
      return queries.announcePublished(inside, actor, id);
    }),
  listEvents: ({ tx, actor, query }) => queries.listEvents(tx, actor, query),
  getEvent: async ({ tx, actor, params, query }) => (await queries.findEvent(tx, actor, params.id, query.language)) ?? notFound(),
  replaceEvent: ({ tx, actor, params, body }) => tx.transaction((inside) => replace(inside, actor, params.id, body)),
  async deleteEvent(call) {
    const { tx, actor, params, client } = call;
    const event = await contentForEditing(tx, actor, 'event', params.id).catch(async (error) => {
      const id = typeof params.id === 'number' ? params.id : await findDeletedId(tx, 'event', params.id.external_id);
      return error.code === 'not_found' && id !== undefined ? tooLate(tx, 'event', id, client.received_micros) : Promise.reject(error);
    });
    await deleteOnce(call, 'event', event.id, (inside) => queries.deleteEvent(inside, event.id));
    return toJson({ id: event.id, external_id: event.external_id });
  },
  answerEvent: ({ tx, actor, params, body: { status, created_at, ...named } }) =>
    tx.transaction(async (inside) => {
      const { event_id, user_id } = await invitationFor(inside, actor, params.id, named);
      if (created_at !== undefined && actor.kind === 'session' && !actor.roles.includes('admin'))
        forbidden('Only an import says when somebody answered.');
      await claimSeat(inside, actor, event_id, user_id, status);
      return replaceAnswer(inside, event_id, user_id, status, pastOnly(inside, created_at));
    }),
  withdrawAnswer: ({ tx, actor, params, query }) =>
    tx.transaction(async (inside) => {
      const { event_id, user_id } = await invitationFor(inside, actor, params.id, query);
      if (!(await lockEvent(inside, event_id))) notFound();
      return replaceAnswer(inside, event_id, user_id, null);
    }),
  listAttendees: async ({ tx, actor, params, query }) =>
    listAttendees(tx, (await contentFor(tx, actor, 'event', params.id)).id, query.status, query.skip, query.take),
});

async function replace(tx: Tx, actor: Actor, key: Key, body: EventReplacement): Promise<Json> {
  const { id, language } = await contentForEditing(tx, actor, 'event', key);
  if (body.language !== undefined && language !== null && body.language.toLowerCase() !== language.toLowerCase())
    return translate(tx, actor, id, body.language, body);
  const audience = targetsOf(body.audience);
  if (audience) await checkTargets(tx, actor, 'event', audience);
  const changed = await queries.updateEvent(tx, id, await fieldsOf(tx, body, id), audience);
  const retargeted = audience !== undefined && (await replaceAudience(tx, 'event', id, audience));
  if (retargeted && !changed) await queries.touchEvent(tx, id);
  return changed || retargeted ? queries.announceUpdated(tx, actor, id) : queries.getEvent(tx, actor, id);
}

async function translate(tx: Tx, actor: Actor, id: number, language: string, body: EventReplacement): Promise<Json> {
  const translation = { language, title: body.title, location: body.location ?? '', ...wordsOf(body) };
  if (!(await queries.upsertTranslation(tx, id, translation))) return queries.getEvent(tx, actor, id);
  await queries.touchEvent(tx, id);
  return queries.announceUpdated(tx, actor, id);
}

async function fieldsOf(tx: Tx, body: EventReplacement, id?: number) {
  const timezone = body.timezone ?? (await queries.getTimezone(tx, id));
  return { ...body, ...timesOf(body, timezone), timezone, ...wordsOf(body) };
}

/** One of them is enough: the other says the same. */
const wordsOf = ({ description, html_content }: EventReplacement) => ({
  description: description ?? plainText(html_content ?? '').slice(0, DESCRIPTION_MAX),
  html_content: html_content === undefined ? htmlOf(description ?? '') : sanitizeHtml(html_content),
});
