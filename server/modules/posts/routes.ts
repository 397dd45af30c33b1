import type { Key, Paging } from '../../kernel/contract/contract.ts';
import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { deleteOnce, findDeletedId, tooLate } from '../../kernel/data/deletion.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { htmlOf, plainText, sanitizeHtml } from '../../kernel/text/html.ts';
import { checkNoReferences, type Placing, withContentFiles } from '../assets/access.ts';
import { type AudienceTargets, everybody, targetsOf } from '../audiences/access.ts';
import { replaceAudience } from '../audiences/queries.ts';
import { awardByRules, insertBadgeUsers } from '../badges/queries.ts';
import { listCampaignsOf, replaceCampaigns } from '../campaigns/queries.ts';
import { deleteWhatHangsOn } from '../comments/queries.ts';
import { checkTargets, contentFor, contentForEditing, knownTargets, within } from '../content/access.ts';
import { authorOf, importedAt, peopleOf } from '../users/access.ts';
import { kudos, updates, type WrittenPost } from './contract.ts';
import type { PostNoun, Recipients } from './queries.ts';
import * as queries from './queries.ts';

type Asked = Pick<Call, 'tx' | 'actor' | 'services'>;
type Written = WrittenPost;

export const updateRoutes = routes(updates, {
  createUpdate: (call) => create(call, 'update', call.body),
  listUpdates: ({ tx, actor, query }) => queries.listPosts(tx, actor, 'update', query),
  getUpdate: (call) => read(call, 'update', call.params.id, call.query.language),
  replaceUpdate: (call) => replace(call, 'update', call.params.id, call.body),
  deleteUpdate: (call) => remove(call, 'update', call.params.id),
  approveUpdate: (call) => review(call, 'update', call.params.id, 'approved'),
  listUpdateCampaigns: (call) => listCampaigns(call, 'update', call.params.id, call.query),
  rejectUpdate: (call) => review(call, 'update', call.params.id, 'rejected'),
});
export const kudosRoutes = routes(kudos, {
  createKudos: (call) => create(call, 'kudos', call.body),
  listKudos: ({ tx, actor, query }) => queries.listPosts(tx, actor, 'kudos', query),
  getKudos: (call) => read(call, 'kudos', call.params.id, call.query.language),
  replaceKudos: (call) => replace(call, 'kudos', call.params.id, call.body),
  deleteKudos: (call) => remove(call, 'kudos', call.params.id),
  approveKudos: (call) => review(call, 'kudos', call.params.id, 'approved'),
  listKudosCampaigns: (call) => listCampaigns(call, 'kudos', call.params.id, call.query),
  rejectKudos: (call) => review(call, 'kudos', call.params.id, 'rejected'),
});

const create = (call: Asked, noun: PostNoun, body: Written) =>
  withContentFiles(call, body, (place) =>
    call.tx.transaction(async (tx): Promise<Json> => {
      const { actor } = call;
      const audience = targetsOf(body.audience) ?? everybody;
      await checkTargets(tx, actor, noun, audience);
      const creator_id = await authorOf(tx, actor, body);
      const approval = await approvalFor(tx, actor, audience);
      const id = await queries.insertPost(tx, noun, {
        ...(await fieldsOf(tx, actor, body)),
        creator_id,
        audience,
        approval,
        created_at: importedAt(tx, actor, body.created_at),
        recipients: noun === 'kudos' ? await recipientsOf(tx, actor, body) : undefined,
      });
      await place(tx, noun, id);
      if (body.campaign_ids) await replaceCampaigns(tx, noun, id, body.campaign_ids);
      return approval === 'approved' ? publish(tx, actor, noun, id) : queries.getPost(tx, actor, noun, id);
    }),
  );

/** Announces the post. Kudos also award their badge, and count for badges that go by rules. */
async function publish(tx: Tx, actor: Actor, noun: PostNoun, id: number): Promise<Json> {
  const answer = await queries.announce(tx, actor, noun, id, 'published');
  const thanked = noun === 'kudos' ? await queries.findThanked(tx, id) : undefined;
  if (thanked) {
    if (thanked.badge_id !== null) await insertBadgeUsers(tx, thanked.badge_id, thanked.user_ids);
    await awardByRules(tx, thanked.user_ids);
  }
  return answer;
}

const listCampaigns = async (
  { tx, actor }: Pick<Call, 'tx' | 'actor'>,
  noun: PostNoun,
  key: Key,
  { skip, take }: Paging,
) => listCampaignsOf(tx, noun, (await contentFor(tx, actor, noun, key)).id, skip, take);

const read = async ({ tx, actor }: Asked, noun: PostNoun, key: Key, language: string | undefined) =>
  (await queries.findPost(tx, actor, noun, key, language)) ?? refuseNotFound();

const replace = (call: Asked, noun: PostNoun, key: Key, body: Written) =>
  withContentFiles(call, body, (place) =>
    call.tx.transaction(async (tx): Promise<Json> => {
      const { actor } = call;
      const post = await contentForEditing(tx, actor, noun, key);
      const fields = await fieldsOf(tx, actor, body);
      const { language } = body;
      const isOther =
        language != null && post.language !== null && language.toLowerCase() !== post.language.toLowerCase();
      const changed = isOther
        ? await translate(tx, noun, post.id, language, fields, place)
        : await rewrite(tx, actor, noun, post.id, fields, body, place);
      if (changed && !needsNoApproval(actor) && (await queries.isApprovedByOthers(tx, noun, post.id, actor.user_id)))
        refuse('forbidden', 'What is posted there waits for approval: those who approve change it, or post it anew.', {
          path: body.audience && 'audience',
        });
      return changed
        ? queries.announce(tx, actor, noun, post.id, 'updated')
        : queries.getPost(tx, actor, noun, post.id);
    }),
  );

/** Files are of the post, whatever the language. Returns whether anything is other than before. */
async function translate(
  tx: Tx,
  noun: PostNoun,
  id: number,
  language: string,
  fields: queries.PostFields,
  place: Placing,
) {
  const translated = await queries.upsertTranslation(tx, noun, id, language, fields);
  const illustrated = await place(tx, noun, id);
  return translated || illustrated;
}

/** Returns whether anything is other than before. */
async function rewrite(
  tx: Tx,
  actor: Actor,
  noun: PostNoun,
  id: number,
  fields: queries.PostFields,
  body: Written,
  place: Placing,
) {
  const audience = targetsOf(body.audience);
  if (audience) await checkTargets(tx, actor, noun, audience);
  const changed = await queries.updatePost(tx, noun, id, fields, audience);
  const retargeted = audience !== undefined && (await replaceAudience(tx, noun, id, audience));
  const rethanked = noun === 'kudos' && (await queries.replaceRecipients(tx, id, await recipientsOf(tx, actor, body)));
  const illustrated = await place(tx, noun, id);
  const enlisted = await replaceCampaigns(tx, noun, id, body.campaign_ids ?? []);
  if (!changed && (retargeted || rethanked || illustrated || enlisted)) await queries.touchPost(tx, noun, id);
  return changed || retargeted || rethanked || illustrated || enlisted;
}

const review = ({ tx, actor }: Asked, noun: PostNoun, key: Key, approval: 'approved' | 'rejected') =>
  tx.transaction(async (inside): Promise<Json> => {
    const post = await contentForEditing(inside, actor, noun, key);
    if (post.creator_id === actor.user_id && actor.kind !== 'key')
      refuse('forbidden', 'Somebody else approves what you posted.');
    if (!(await queries.reviewPost(inside, noun, post.id, approval, actor.user_id)))
      refuse('not_pending', `This ${noun} does not wait for approval.`);
    return approval === 'approved'
      ? publish(inside, actor, noun, post.id)
      : queries.getPost(inside, actor, noun, post.id);
  });

async function remove(
  call: Pick<Call, 'tx' | 'actor' | 'client' | 'services'>,
  noun: PostNoun,
  key: Key,
): Promise<Json> {
  const { tx, actor, client } = call;
  const post = await contentForEditing(tx, actor, noun, key).catch(async (error) => {
    const id = typeof key === 'number' ? key : await findDeletedId(tx, noun, key.external_id);
    return error.code === 'not_found' && id !== undefined
      ? tooLate(tx, noun, id, client.received_micros)
      : Promise.reject(error);
  });
  await deleteOnce(call, noun, post.id, async (inside) => {
    const deleted = await queries.deletePost(inside, noun, post.id);
    await deleteWhatHangsOn(inside, noun, [post.id]);
    await replaceCampaigns(inside, noun, post.id, []);
    return deleted;
  });
  return toJson({ id: post.id, external_id: post.external_id });
}

async function fieldsOf(tx: Tx, actor: Actor, body: Written): Promise<queries.PostFields> {
  const html = body.html ? sanitizeHtml(body.html) : htmlOf(body.text ?? '');
  const text = body.text || plainText(html);
  if (text.trim() === '' && !/<(img|picture|video|audio|iframe)\b/.test(html))
    refuseInvalid('text', 'is required, or html');
  checkNoReferences('html', body.html ?? '');
  if (body.shared_post)
    await contentFor(tx, actor, body.shared_post.type, body.shared_post.id).catch((error) =>
      error.code === 'not_found'
        ? refuse('shared_post_not_found', 'There is no such content, or you may not see it.', {
            path: 'shared_post.id',
          })
        : Promise.reject(error),
    );
  return {
    ...body,
    text,
    html,
    external_id: body.external_id ?? body.legacy_system_id,
  };
}

async function recipientsOf(tx: Tx, actor: Actor, { recipients = {} }: Written): Promise<Recipients> {
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

const needsNoApproval = (actor: Actor) =>
  actor.kind === 'key' || actor.roles.some((role) => role === 'admin' || role === 'moderator');

/** Only what people post to spaces waits for approval. */
const approvalFor = async (tx: Tx, actor: Actor, { type, spaces }: AudienceTargets) =>
  type === 'spaces' && !needsNoApproval(actor) && (await queries.needsApproval(tx, actor.user_id, spaces))
    ? 'pending'
    : 'approved';
