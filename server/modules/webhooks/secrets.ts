import type { Sealing } from '../../kernel/people/sealing.ts';

/** A sealed text of one organisation opens for no other. */
const purposeOf = (organisation_id: number) => `webhooks of ${organisation_id}`;
export const sealSecret = (sealing: Sealing, organisation_id: number, secret: string) =>
  sealing.seal(purposeOf(organisation_id), secret);
export const openSecret = (sealing: Sealing, organisation_id: number, sealed: string) =>
  sealing.open(purposeOf(organisation_id), sealed);
