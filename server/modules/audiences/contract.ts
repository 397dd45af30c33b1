import * as t from '../../kernel/contract/schema.ts';

const Named = t.Object({ id: t.Id(), name: t.Text(255) });
const types = ['Global', 'spaces', 'teams'] as const;

/** Spaces and teams that a resource is for, as they are shown everywhere: those that the caller knows of. */
const named = { spaces: t.Array(Named), teams: t.Array(Named) };
/** Who content is for, beyond what its space says. */
export const Audience = t.Object({ type: t.OneOf(types), ...named }, { title: 'Audience' });
/** The same in the form of livestreams, which are for spaces and teams together. */
export const GlobalOrLimited = t.Object(
  { is_global: t.Flag(), type: t.OneOf(types), ...named },
  { title: 'GlobalOrLimited' },
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
