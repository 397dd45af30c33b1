// What the contracts of plain rows (rows.ts) have in common: how a row is read, created, replaced and deleted.
import type { TProperties, TSchema } from 'typebox';
import * as t from '../../kernel/contract/schema.ts';

/** Fields that end the reply of a row with an address. */
export const ending = { created_at: t.Timestamp(), updated_at: t.Timestamp(), permalink: t.Url() };
/** A picture that is none. */
export const pictureErrors = { image_invalid: 400 } as const;

/** `written` are the fields of a body, `common` what else creating and replacing have alike. */
export const rowContract = <Reply extends TSchema, Written extends TProperties, const Common extends object>(
  reply: Reply,
  written: Written,
  common: Common,
) => {
  const created_at = t.Optional(t.Timestamp('For imports; never in the future.'));
  const example = { params: { id: 1 } };
  return {
    gets: { reply, example },
    creates: { ...common, status: 201, body: t.Object({ ...written, created_at }), reply },
    replaces: { ...common, body: t.Object(written), reply },
    deletes: { reply: t.Object({ id: t.Id() }), example },
  } as const;
};
