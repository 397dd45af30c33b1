import { Id, List, OneOf, Optional, Shape, type Static, Text, Type } from '../../kernel/contract/contract.ts';

const Named = Shape({ id: Id(), name: Text(255) });
const types = ['Global', 'spaces', 'teams'] as const;

/** Who content is for, beyond what its space says. */
export const Audience = Shape({ type: OneOf(types), spaces: List(Named), teams: List(Named) }, { title: 'Audience' });
export const NewAudience = Shape({
  type: OneOf(types),
  spaces: Optional(Type.Array(Id(), { maxItems: 200 })),
  teams: Optional(Type.Array(Id(), { maxItems: 200 })),
});
export type NewAudience = Static<typeof NewAudience>;

/** Codes of an audience that names what does not exist; the constraints of the family's `…_audiences` table have these names. */
export const audienceErrors = { audience_space_not_found: 400, audience_team_not_found: 400 } as const;
