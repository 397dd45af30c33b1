import { refuse, refuseNotFound } from '../../kernel/contract/errors.ts';
import { htmlOf, plainText } from '../../kernel/html/html.ts';
import { routes } from '../../kernel/http/routes.ts';
import { contentFor } from '../content/access.ts';
import { hasOpenSpace } from '../content/posting.ts';
import { announce, deleteRows, findContent } from '../content/statements.ts';
import { createContent, deleteContent, refuseUnlessMayShow, replaceContent, type Writer } from '../content/writing.ts';
import { importedAt } from '../users/access.ts';
import { claimSeat, invitationFor } from './access.ts';
import { DESCRIPTION_MAX, type EventReplacement, events, type NewEvent } from './contract.ts';
import { eventFamily } from './family.ts';
import * as queries from './queries.ts';
import { forgetAttendees, listAttendees, lockEvent, replaceAnswer } from './rsvps.ts';
import { timesOf } from './times.ts';

export const eventRoutes = routes(events, {
  createEvent: (call) => createContent(call, writer, call.body),
  listEvents: ({ tx, actor, query }) => queries.listEvents(tx, actor, query),
  getEvent: async ({ tx, actor, params, query }) =>
    (await findContent(tx, eventFamily, params.id, { now: tx.now(), actor, ...query })) ?? refuseNotFound(),
  replaceEvent: (call) => replaceContent(call, writer, call.params.id, call.body),
  deleteEvent: (call) =>
    deleteContent(call, eventFamily, call.params.id, async (tx, id) => {
      const deleted = await deleteRows(tx, eventFamily, id);
      // Answers that were given while this waited for the row are seen from here on.
      await forgetAttendees(tx, id);
      return deleted;
    }),
  answerEvent: ({ tx, actor, params, body: { status, created_at, ...named } }) =>
    tx.transaction(async (inside) => {
      const invitation = await invitationFor(inside, actor, params.id, named);
      await claimSeat(inside, actor, invitation, status);
      const answered_at = importedAt(inside, actor, created_at);
      return replaceAnswer(inside, invitation.event_id, invitation.user_id, status, answered_at);
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

type Body = EventReplacement & Partial<NewEvent>;
const writer: Writer<Body> = {
  family: eventFamily,
  async values(tx, actor, body, replaced) {
    await refuseUnlessMayShow(tx, actor, 'event', body.html_content ?? '', replaced?.row.id);
    const timezone = body.timezone ?? (await queries.getTimezone(tx, replaced?.row.id));
    const archival = replaced
      ? queries.archivalAfter(body.is_archived, body.audience !== undefined, tx.now())
      : { archived_at: queries.archivedAt(body.is_archived, tx.now()) };
    return { ...body, ...timesOf(body, timezone), timezone, ...wordsOf(body), ...archival };
  },
  async refuseUnlessMayChange(tx, id, { is_archived, audience }) {
    if (is_archived === false && !audience && !(await hasOpenSpace(tx, eventFamily, id)))
      refuse('space_archived', 'Its space is archived; bring that back first.', { path: 'is_archived' });
  },
  created: (tx, actor, id) => announce(tx, eventFamily, id, actor, eventFamily.events.added),
  replaced: (tx, actor, id, _body, language) =>
    announce(tx, eventFamily, id, actor, eventFamily.events.updated, language),
};

/** One of them is enough: the other says the same. */
const wordsOf = ({ description, html_content }: EventReplacement) => ({
  description: description ?? plainText(html_content ?? '').slice(0, DESCRIPTION_MAX),
  html_content: html_content ?? htmlOf(description ?? ''),
});
