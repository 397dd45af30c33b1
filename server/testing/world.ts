import type { Db } from '../kernel/data/db.ts';
import type { Services } from '../kernel/http/routes.ts';
import { type CreatedOrganisation, createKey, createOrganisation } from '../setup.ts';
import { demo, fillDemo } from '../world/northwind.ts';

/** Northwind (organisation 1) with the whole cast, and Contoso (2), which must never see any of it. */
export interface TestWorld {
  northwind: CreatedOrganisation;
  contoso: CreatedOrganisation;
  /** A key without any scope that an endpoint asks for. */
  powerless: string;
}

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
  const { api_key: powerless } = await createKey(tx, 2, 'Powerless', ['siem.nothing.read']);
  return { northwind, contoso, powerless };
}
