// Where Atrium is, and with which key: options before the command, then the environment, then the file.
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createClient } from '@atrium/sdk';
import { UsageError } from './terminal.js';

const FLAGS = { '--url': 'url', '--service-id': 'service_id', '--key': 'api_key', '--profile': 'profile' };

/** Fields of operations may have the same names: these stand before the command. */
export function connectionFlags(argv) {
  const given = {};
  let rest = argv;
  while (rest[0]?.startsWith('--')) {
    const [flag, written] = rest[0].split(/=(.*)/s);
    if (!FLAGS[flag]) break;
    const value = written ?? rest[1];
    if (value === undefined) throw new UsageError(`${flag} needs a value.`);
    given[FLAGS[flag]] = value;
    rest = rest.slice(written === undefined ? 2 : 1);
  }
  return { given, rest };
}

export const configPath = (env = process.env) =>
  env.ATRIUM_CONFIG ?? join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'atrium', 'config.json');

export function readConnection(given, env = process.env) {
  const { profile = env.ATRIUM_PROFILE, ...flags } = given;
  const named = { url: env.ATRIUM_URL, service_id: env.ATRIUM_SERVICE_ID, api_key: env.ATRIUM_API_KEY };
  const from = [stored(configPath(env), profile), named, flags].map((each) =>
    Object.entries(each).filter(([, value]) => value),
  );
  const { url, service_id, api_key } = Object.fromEntries(from.flat());
  if (!url || !service_id || !api_key)
    throw new UsageError('Say where: `atrium configure`, or set ATRIUM_URL, ATRIUM_SERVICE_ID and ATRIUM_API_KEY.');
  return createClient({ baseUrl: url, organisationId: service_id, apiKey: api_key });
}

export function readProfiles(path) {
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw new UsageError(`${path} cannot be read: ${error.code}.`);
  }
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
    throw new UsageError(`Others may read ${path}, which has a key in it: chmod 600 ${path}`);
  try {
    return JSON.parse(text).profiles ?? {};
  } catch {
    throw new UsageError(`${path} is no JSON.`);
  }
}

function stored(path, profile) {
  const profiles = readProfiles(path);
  if (profile && !profiles[profile]) throw new UsageError(`There is no profile "${profile}" in ${path}.`);
  return profiles[profile ?? 'default'] ?? {};
}

export function writeProfile(path, name, profile) {
  const profiles = { ...readProfiles(path), [name]: profile };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, `${JSON.stringify({ profiles }, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(fresh, path);
}
