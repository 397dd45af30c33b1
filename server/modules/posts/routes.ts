import type { Key, Paging } from '../../kernel/contract/contract.ts';
import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { htmlOf, plainText } from '../../kernel/html/html.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { refuseReferences } from '../assets/access.ts';
import { awardByRules, insertBadgeUsers } from '../badges/queries.ts';
import { listCampaignsOf, replaceCampaigns } from '../campaigns/queries.ts';
import { contentFor, contentForEditing } from '../content/access.ts';
import { knownTargets, within } from '../content/posting.ts';
import { announce, findContent, getContent } from '../content/statements.ts';
import { createContent, deleteContent, replaceContent, type Writer } from '../content/writing.ts';
import { refuseUnlessAhead } from '../polls/access.ts';
import { insertPoll } from '../polls/queries.ts';
import { peopleOf } from '../users/access.ts';
import { happened } from '../users/happenings.ts';
import { kudos, updates, type WrittenPost } from './contract.ts';
import { type PostNoun, postFamilies } from './family.ts';
import * as queries from './queries.ts';

export const updateRoutes = routes(updates, {
  createUpdate: (call) => createContent(call, writers.update, call.body),
  listUpdates: ({ tx, actor, query }) => queries.listPosts(tx, actor, 'update', query),
  getUpdate: (call) => read(call, 'update', call.params.id, call.query.language),
  replaceUpdate: (call) => replaceContent(call, writers.update, call.params.id, call.body),
  deleteUpdate: (call) => deleteContent(call, postFamilies.update, call.params.id),
  approveUpdate: (call) => review(call, 'update', call.params.id, 'approved'),
  listUpdateCampaigns: (call) => listCampaigns(call, 'update', call.params.id, call.query),
  rejectUpdate: (call) => review(call, 'update', call.params.id, 'rejected'),
});
export const kudosRoutes = routes(kudos, {
  createKudos: (call) => createContent(call, writers.kudos, call.body),
  listKudos: ({ tx, actor, query }) => queries.listPosts(tx, actor, 'kudos', query),
  getKudos: (call) => read(call, 'kudos', call.params.id, call.query.language),
  replaceKudos: (call) => replaceContent(call, writers.kudos, call.params.id, call.body),
  deleteKudos: (call) => deleteContent(call, postFamilies.kudos, call.params.id),
  approveKudos: (call) => review(call, 'kudos', call.params.id, 'approved'),
  listKudosCampaigns: (call) => listCampaigns(call, 'kudos', call.params.id, call.query),
  rejectKudos: (call) => review(call, 'kudos', call.params.id, 'rejected'),
});

type Asked = Pick<Call, 'tx' | 'actor'>;
const read = async ({ tx, actor }: Asked, noun: PostNoun, key: Key, language: string | undefined) =>
  (await findContent(tx, postFamilies[noun], key, { now: tx.now(), actor, language })) ?? refuseNotFound();
const listCampaigns = async ({ tx, actor }: Asked, noun: PostNoun, key: Key, page: Paging) =>
  listCampaignsOf(tx, noun, (await contentFor(tx, actor, noun, key)).id, page);

const writer = (noun: PostNoun): Writer<WrittenPost> => ({
  family: postFamilies[noun],
  async values(tx, actor, body) {
    const html = body.html || htmlOf(body.text ?? '');
    const text = body.text || plainText(html);
    if (text.trim() === '' && !/<(img|picture|video|audio|iframe)\b/.test(html))
      refuseInvalid('text', 'is required, or html');
    refuseReferences('html', body.html ?? '');
    const { type: shared_type, id: shared_id } = (await sharedIn(tx, actor, body)) ?? {};
    return { ...body, text, html, external_id: body.external_id ?? body.legacy_system_id, shared_type, shared_id };
  },
  async initial(tx, actor, _body, { type, spaces }) {
    // Only what people post to spaces waits for approval.
    const isPending =
      type === 'spaces' && !isApprover(actor) && (await queries.needsApproval(tx, actor.user_id, spaces));
    return isPending ? { approval: 'pending' } : {};
  },
  async belongings(tx, actor, id, body, isNew) {
    const isRethanked =
      noun === 'kudos' && (await queries.replaceRecipients(tx, id, await recipientsOf(tx, actor, body)));
    if (isNew && body.poll) {
      refuseUnlessAhead(tx, body.poll);
      await insertPoll(tx, id, body.poll);
    }
    const { campaign_ids = [] } = body;
    const isEnlisted = (!isNew || campaign_ids.length > 0) && (await replaceCampaigns(tx, noun, id, campaign_ids));
    return isRethanked || isEnlisted;
  },
  async created(tx, actor, id, _body, { approval }) {
    if (approval !== 'pending') return publish(tx, actor, noun, id);
    await happened(tx, { kind: 'content', noun, thing_id: id, actor_id: actor.user_id });
    return getContent(tx, postFamilies[noun], id, actor);
  },
  async replaced(tx, actor, id, body, language) {
    if (!isApprover(actor) && (await queries.isApprovedByOthers(tx, noun, id, actor.user_id)))
      refuse('forbidden', 'What is posted there waits for approval: those who approve change it, or post it anew.', {
        path: body.audience && 'audience',
      });
    return announce(tx, postFamilies[noun], id, actor, postFamilies[noun].events.updated, language);
  },
});
const writers = { update: writer('update'), kudos: writer('kudos') };

/** Announces the post. Kudos also award their badge, and count for badges that go by rules. */
async function publish(tx: Tx, actor: Actor, noun: PostNoun, id: number): Promise<Json> {
  const answer = await announce(tx, postFamilies[noun], id, actor, postFamilies[noun].events.added);
  const thanked = noun === 'kudos' ? await queries.findThanked(tx, id) : undefined;
  if (thanked) {
    if (thanked.badge_id !== null) await insertBadgeUsers(tx, thanked.badge_id, thanked.user_ids);
    await awardByRules(tx, thanked.user_ids);
  }
  return answer;
}

const review = ({ tx, actor }: Asked, noun: PostNoun, key: Key, approval: 'approved' | 'rejected') =>
  tx.transaction(async (inside): Promise<Json> => {
    const post = await contentForEditing(inside, actor, noun, key);
    if (post.creator_id === actor.user_id && actor.kind !== 'key')
      refuse('forbidden', 'Somebody else approves what you posted.');
    if (!(await queries.reviewPost(inside, noun, post.id, approval, actor.user_id)))
      refuse('not_pending', `This ${noun} does not wait for approval.`);
    await happened(inside, { kind: 'content', noun, thing_id: post.id, actor_id: actor.user_id });
    return approval === 'approved'
      ? publish(inside, actor, noun, post.id)
      : getContent(inside, postFamilies[noun], post.id, actor);
  });
const isApprover = (actor: Actor) =>
  actor.kind === 'key' || actor.roles.some((role) => role === 'admin' || role === 'moderator');

async function sharedIn(tx: Tx, actor: Actor, { shared_post }: WrittenPost) {
  if (shared_post)
    await contentFor(tx, actor, shared_post.type, shared_post.id).catch((error) =>
      error.code === 'not_found'
        ? refuse('shared_post_not_found', 'There is no such content, or you may not see it.', {
            path: 'shared_post.id',
          })
        : Promise.reject(error),
    );
  return shared_post;
}

async function recipientsOf(tx: Tx, actor: Actor, { recipients = {} }: WrittenPost): Promise<queries.Recipients> {
  const { users = [], external_users = [], teams = [] } = recipients;
  const people = await peopleOf(tx, [
    { field: 'recipients.users', values: users, external: false },
    { field: 'recipients.external_users', values: external_users, external: true },
  ]);
  if (teams.length > 0) await knownTargets(tx, actor, within('recipients'), [], teams);
  const found = { users: [...people.values()].flat(), teams };
  if (found.users.length + found.teams.length === 0) refuseInvalid('recipients', 'must name at least one user or team');
  return found;
}
