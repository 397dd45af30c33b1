// A real S3-compatible service: OpenStack Swift with its s3api, from Debian's packages, one process a role on loopback.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import type { Config } from '../kernel/config.ts';
import { until } from './processes.ts';

const SETTINGS = '/etc/swift/swift.conf';
const ROLES = ['account', 'container', 'object'] as const;

/** What swift-ring-builder does, in one process instead of nine: a ring of one device for each role. */
const BUILD_RINGS = `
import json, sys
from swift.common.ring import RingBuilder
for path, port in json.loads(sys.argv[1]):
    builder = RingBuilder(4, 1, 0)
    builder.add_dev(dict(region=1, zone=1, ip='127.0.0.1', port=port, device='d1', weight=1.0))
    builder.rebalance()
    builder.get_ring().save(path)
`;

/** Why tests against a bucket cannot run here, or false. */
export const noBucket = missing();
function missing(): string | false {
  try {
    for (const name of ['proxy-server', 'account-server', 'container-server', 'object-server'])
      accessSync(`/usr/bin/swift-${name}`, constants.X_OK);
    accessSync(SETTINGS, constants.R_OK);
    return false;
  } catch (error) {
    return (
      `OpenStack Swift is not here: ${(error as Error).message} ` +
      '(Debian: apt-get install swift-proxy swift-account swift-container swift-object)'
    );
  }
}

export interface Bucket {
  settings: Pick<Config, 's3_bucket' | 's3_endpoint' | 's3_region' | 's3_access_key_id' | 's3_secret_access_key'>;
  keys(): Promise<string[]>;
  stop(): Promise<void>;
}

export async function startBucket(): Promise<Bucket> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-bucket-'));
  mkdirSync(join(folder, 'node', 'd1'), { recursive: true });
  const proxyPort = await freePort();
  const children: ChildProcess[] = [];
  const ports = { account: await freePort(), container: await freePort(), object: await freePort() };
  const rings = ROLES.map((role) => [join(folder, `${role}.ring.gz`), ports[role]]);
  spawnSync('/usr/bin/python3', ['-c', BUILD_RINGS, JSON.stringify(rings)], { stdio: 'inherit' });
  for (const role of ROLES)
    children.push(
      started(folder, role, ports[role], `devices = ${folder}/node\nmount_check = false\n`, `${role}-server`, {
        [`app:${role}-server`]: `use = egg:swift#${role}`,
      }),
    );
  const filters = ['catch_errors', 'gatekeeper', 'cache', 's3api', 'tempauth', 'copy', 'slo'];
  const filter = (name: string) =>
    [
      `filter:${name}`,
      `use = egg:swift#${name === 'cache' ? 'memcache\nmemcache_servers = 127.0.0.1:1' : name}`,
    ] as const;
  const sections = {
    ...Object.fromEntries(filters.map(filter)),
    'filter:tempauth': 'use = egg:swift#tempauth\nuser_test_tester = testing .admin',
    // A request before the others listen must not make the proxy avoid them for a minute.
    'app:proxy-server': 'use = egg:swift#proxy\naccount_autocreate = true\nerror_suppression_interval = 0',
  };
  children.push(started(folder, 'proxy', proxyPort, '', [...filters, 'proxy-server'].join(' '), sections));

  const endpoint = `http://127.0.0.1:${proxyPort}`;
  const credentials = { accessKeyId: 'test:tester', secretAccessKey: 'testing' };
  const client = new S3Client({ region: 'us-east-1', endpoint, forcePathStyle: true, credentials, maxAttempts: 1 });
  const Bucket = 'files';
  const made = () => {
    const ended = children.find(({ exitCode }) => exitCode !== null);
    if (ended) throw new Error(`${ended.spawnfile} ended with ${ended.exitCode}.`);
    return client.send(new CreateBucketCommand({ Bucket })).catch(() => false);
  };
  const stop = async () => {
    client.destroy();
    const alive = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    await Promise.all(alive.map((child) => new Promise((resolve) => child.once('close', resolve).kill('SIGKILL'))));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until(made, 'the bucket is made', 60_000);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    settings: {
      s3_bucket: Bucket,
      s3_endpoint: endpoint,
      s3_region: 'us-east-1',
      s3_access_key_id: credentials.accessKeyId,
      s3_secret_access_key: credentials.secretAccessKey,
    },
    keys: async () =>
      ((await client.send(new ListObjectsV2Command({ Bucket }))).Contents ?? []).map(({ Key = '' }) => Key),
    stop,
  };
}

function started(
  folder: string,
  role: string,
  port: number,
  more: string,
  pipeline: string,
  sections: Record<string, string>,
) {
  const path = join(folder, `${role}.conf`);
  const own =
    `bind_ip = 127.0.0.1\nbind_port = ${port}\nworkers = 0\n` +
    `user = ${userInfo().username}\nswift_dir = ${folder}\n${more}`;
  const all = { DEFAULT: own, 'pipeline:main': `pipeline = ${pipeline}`, ...sections };
  writeFileSync(
    path,
    Object.entries(all)
      .map(([name, lines]) => `[${name}]\n${lines}\n`)
      .join(''),
  );
  return spawn(`/usr/bin/swift-${role}-server`, [path], { stdio: 'ignore' });
}

const given = new Set<number>();
/** Below the ports that connections are given: another test's would take it before the service listens. */
const freePort = async () => {
  for (;;) {
    const port = randomInt(10_000, 30_000);
    if (given.has(port)) continue;
    given.add(port);
    const probe = createServer();
    const free = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (free) return new Promise<number>((resolve) => probe.close(() => resolve(port)));
  }
};
