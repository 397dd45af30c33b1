import { setTimeout as sleep } from 'node:timers/promises';
import { ofWhom, type Whom } from '../modules/requests/access.ts';
import { type Filter, listCalls } from '../modules/requests/queries.ts';
import {
  type Call,
  type Command,
  type Outcome,
  org,
  organisationOf,
  readCount,
  readId,
  UsageError,
} from './command.ts';

const LOOK_MS = 1000;
const LOOKED_AT = 500;

interface Shown {
  request_id: string;
  at: string;
  kind: string;
  key_id: number | null;
  app_id: number | null;
  scim_secret_id: number | null;
  method: string;
  path: string;
  status: number;
  code: string | null;
  ms: number;
}
const lineOf = ({ at, status, method, path, ms, code, request_id, ...of }: Shown) => {
  const whose = of.key_id ? `key ${of.key_id}` : of.app_id ? `app ${of.app_id}` : `SCIM secret ${of.scim_secret_id}`;
  const why = code ? `  ${code}` : '';
  return `${at.slice(0, 23)}  ${status}  ${method.padEnd(6)} ${path}  ${ms} ms  ${whose}${why}  ${request_id}\n`;
};

function whomOf(call: Call): Whom {
  const [key, app] = [call.text('key'), call.text('app')];
  return {
    ...(key === undefined ? {} : { key_id: readId(key, '--key') }),
    ...(app === undefined ? {} : { app_id: readId(app, '--app') }),
  };
}

async function tail(call: Call): Promise<Outcome> {
  const take = readCount(call.text('lines') ?? '20', '--lines');
  if (take < 1 || take > LOOKED_AT) throw new UsageError(`--lines must be from 1 to ${LOOKED_AT}.`);
  const status = call.text('status');
  if (status !== undefined && !/^[1-5](\d\d|xx)$/.test(status)) throw new UsageError('--status is like 404 or 4xx.');
  const of = ofWhom(whomOf(call));
  const { tx } = await organisationOf(call);
  const newest = async (count: number): Promise<Shown[]> => {
    const filter: Filter = { skip: 0, take: count, of, ...(status === undefined ? {} : { status }) };
    const { rows } = await listCalls(tx, filter, call.config.request_days);
    return rows.map((json) => JSON.parse(json) as Shown).reverse();
  };
  const isFollowing = call.flag('follow');
  const known = await newest(isFollowing ? LOOKED_AT : take);
  const found = known.slice(-take);
  const text = found.map(lineOf).join('');
  if (!isFollowing) return { json: { requests: found }, text: text || 'There is no call.\n' };
  const say = (one: Shown) => void process.stdout.write(call.json ? `${JSON.stringify(one)}\n` : lineOf(one));
  found.forEach(say);
  let seen = new Set(known.map(({ request_id }) => request_id));
  const ended = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort());
  while (!ended.signal.aborted) {
    const now = await newest(LOOKED_AT);
    for (const one of now) if (!seen.has(one.request_id)) say(one);
    seen = new Set(now.map(({ request_id }) => request_id));
    await sleep(LOOK_MS, undefined, { signal: ended.signal }).catch(() => {});
  }
  return { json: { ended: true }, text: '' };
}

/** Loaded when it runs: it needs every module. */
const findings: Command['run'] = async (call) => {
  const { judgedFindings } = await import('./findings.ts');
  return judgedFindings(call, ofWhom(whomOf(call)));
};

export const requestCommands: readonly Command[] = [
  {
    words: 'requests tail',
    about: 'Show the newest calls of keys and apps',
    options: {
      org,
      key: { value: 'ID', about: 'Only of this key.' },
      app: { value: 'ID', about: 'Only of this app.' },
      status: { value: 'STATUS', about: 'For example 404, or 4xx.' },
      lines: { value: 'N', about: 'How many; default 20.' },
      follow: { about: 'Goes on until Ctrl-C.' },
    },
    run: tail,
  },
  {
    words: 'requests findings',
    about: 'Show what programs could do better, by their calls',
    options: {
      org,
      key: { value: 'ID', about: 'Only of this key.' },
      app: { value: 'ID', about: 'Only of this app.' },
    },
    run: findings,
  },
];
