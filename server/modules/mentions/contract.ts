import * as t from '../../kernel/contract/schema.ts';

export const mentionTypes = ['user', 'team', 'space'] as const;
export type MentionType = (typeof mentionTypes)[number];
export const Mention = t.Object({ type: t.OneOf(mentionTypes), id: t.Id(), name: t.Text(511) }, { title: 'Mention' });

const some = { maxItems: 100, 'x-separated': true };
/** Whom plain text speaks of. In HTML that is what elements say: data-user-id, data-team-id, data-space-id. */
export const mentioned = {
  mentioned_user_ids: t.Optional(t.Array(t.Id(), some)),
  mentioned_user_external_ids: t.Optional(t.Array(t.ExternalId(), some)),
  mentioned_team_ids: t.Optional(t.Array(t.Id(), some)),
  mentioned_space_ids: t.Optional(t.Array(t.Id(), some)),
};
