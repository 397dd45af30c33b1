import type { Key } from '../../kernel/contract/contract.ts';
import { refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Call } from '../../kernel/http/routes.ts';
import { contentFor, mayRead } from '../content/access.ts';
import type { ContentNoun } from '../content/contract.ts';
import { findComment } from './queries.ts';

type Asked = Pick<Call, 'tx' | 'actor'>;

/** The comment, if the actor sees the content that it is on. */
export async function commentFor({ tx, actor }: Asked, key: Key) {
  const comment = (await findComment(tx, key)) ?? refuseNotFound();
  // Its id alone would tell what it is on.
  if (!mayRead(actor, comment.kind)) refuseNotFound();
  const { may_edit } = await contentFor(tx, actor, comment.kind, comment.content_id);
  return { ...comment, may_edit };
}

/** Content or a comment, if the actor sees it. */
export const getThing = ({ tx, actor }: Asked, type: ContentNoun | 'comment', id: number) =>
  type === 'comment' ? commentFor({ tx, actor }, id) : contentFor(tx, actor, type, id);
