import { argon2Sync, randomBytes } from 'node:crypto';
import type { Db } from '../kernel/data/db.ts';
import type { Services } from '../kernel/http/routes.ts';
import { defaults, upsertSettings } from '../modules/scim/queries.ts';
import { type CreatedOrganisation, createKey, createOrganisation } from '../setup.ts';
import { demo, fillDemo } from '../world/northwind.ts';

/** Northwind (organisation 1) with the whole cast, and Contoso (2), which must never see any of it. */
export interface TestWorld {
  northwind: CreatedOrganisation;
  contoso: CreatedOrganisation;
  /** A key without any scope that an endpoint asks for. */
  powerless: string;
}

/** Of everybody. */
export const PASSWORD = 'correct horse battery staple';

export async function createTestWorld(db: Db, services: Pick<Services, 'storage' | 'sealing'>): Promise<TestWorld> {
  const northwind = await createOrganisation(db, {
    name: demo.name,
    domain: 'northwind.localhost',
    is_demo: true,
    admin: { ...demo.admin, password: PASSWORD },
    fill: (tx) => fillDemo(tx, services),
  });
  const contoso = await createOrganisation(db, { name: 'Contoso', domain: 'contoso.localhost' });
  const tx = db.inOrganisation(northwind.organisation_id);
  await db.installation.rows('update users set password_hash = $1', [lightHash(PASSWORD)]);
  // Tests deactivate most people of an hour.
  await upsertSettings(tx, { ...defaults, guard_percent: null });
  const { api_key: powerless } = await createKey(tx, 2, 'Powerless', ['admin.nothing.read']);
  return { northwind, contoso, powerless };
}

/** As `hashPassword` writes it, at the least cost that argon2id has: tests sign in more often than people do. */
function lightHash(password: string): string {
  const nonce = randomBytes(16);
  const cost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 };
  const tag = argon2Sync('argon2id', { ...cost, nonce, message: password });
  return `$argon2id$v=19$m=8,t=1,p=1$${nonce.toString('base64')}$${tag.toString('base64')}`;
}
