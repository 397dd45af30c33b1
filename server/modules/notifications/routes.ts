import { refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import { tellNotified } from '../chat/hints.ts';
import { contentFor } from '../content/access.ts';
import { upsertQuietHours } from '../push/queries.ts';
import { spaceFor } from '../spaces/access.ts';
import { notifications, type ThingType } from './contract.ts';
import * as queries from './queries.ts';
import * as settings from './settings.ts';

export const notificationRoutes = routes(notifications, {
  listNotifications: ({ tx, actor, query }) => queries.listNotifications(tx, actor, query),
  countNotifications: async ({ tx, actor }) => toJson({ unread_count: await queries.countUnread(tx, actor) }),
  async readNotifications({ tx, actor, body }) {
    if (!body.ids && !body.thing && !body.until_id) refuseInvalid('', 'needs ids, thing or until_id');
    const read_count = await queries.markRead(tx, actor.user_id, body);
    if (read_count > 0) tellNotified(tx, [actor.user_id]);
    return toJson({ read_count });
  },
  getNotificationSettings: ({ tx, actor }) => settings.getSettings(tx, actor.user_id),
  putNotificationSettings: ({ tx, actor, body: { kinds = [], ...quiet } }) =>
    tx.transaction(async (inside) => {
      if (kinds.length > 0) await settings.upsertSettings(inside, actor.user_id, kinds);
      if (quiet.quiet_from !== undefined || quiet.quiet_until !== undefined)
        await upsertQuietHours(inside, actor.user_id, quiet);
      return settings.getSettings(inside, actor.user_id);
    }),
  listMutes: ({ tx, actor, query }) => settings.listMutes(tx, actor, query),
  async mute({ tx, actor, params, body }) {
    await refuseUnlessSeen({ tx, actor }, params);
    return settings.upsertMute(tx, actor.user_id, params, body.level ?? 'none');
  },
  unmute: async ({ tx, actor, params }) => (await settings.deleteMute(tx, actor.user_id, params)) ?? refuseNotFound(),
});

const refuseUnlessSeen = ({ tx, actor }: Pick<Call, 'tx' | 'actor'>, { type, id }: { type: ThingType; id: number }) => {
  if (type === 'badge') refuseNotFound();
  return type === 'space' ? spaceFor(tx, actor, id, 'know') : contentFor(tx, actor, type, id);
};
