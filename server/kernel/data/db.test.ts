import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAtrium, world } from '../../testing/atrium.ts';
import { sql } from './sql.ts';

const atrium = await startAtrium();

test(`a connection that is lost between two statements of a transaction fails the transaction, \
and nothing else`, async () => {
  const tx = atrium.services.db.inOrganisation(world.northwind.organisation_id);
  const lost = tx.transaction(async (inside) => {
    const held = await inside.row<{ pid: number }>(sql`select pg_backend_pid() as pid where $1 > 0`);
    await atrium.rows('select pg_terminate_backend($1, 5000)', [held?.pid]);
    await new Promise((resolve) => setImmediate(resolve));
    return inside.rows(sql`select $1::bigint`);
  });
  await assert.rejects(lost);
  assert.equal((await tx.rows(sql`select $1::bigint as id`)).length, 1);
});
