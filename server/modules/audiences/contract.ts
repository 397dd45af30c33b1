import * as t from '../../kernel/contract/schema.ts';

const Named = t.Object({ id: t.Id(), name: t.Text(255) });
const types = ['Global', 'spaces', 'teams'] as const;

/** Who content is for, beyond what its space says. */
export const Audience = t.Object(
  { type: t.OneOf(types), spaces: t.Array(Named), teams: t.Array(Named) },
  { title: 'Audience' },
);
export const NewAudience = t.Object(
  {
    type: t.OneOf(types),
    spaces: t.Optional(t.Array(t.Id(), { maxItems: 200 })),
    teams: t.Optional(t.Array(t.Id(), { maxItems: 200 })),
  },
  { title: 'NewAudience' },
);
export type NewAudience = t.Static<typeof NewAudience>;

/**
 * Codes of an audience that names what does not exist; the constraints of the family's `…_audiences` table have these
 * names.
 */
export const audienceErrors = { audience_space_not_found: 400, audience_team_not_found: 400 } as const;
