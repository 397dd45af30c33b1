// Forms of an export, each from the JSON text of entries.
import { hashed } from './chain.ts';
import type { formats } from './contract.ts';
import type { Entry, Values } from './entries.ts';

export type Format = (typeof formats)[number];
export type Told = Entry & { organisation_id: number; sequence: number; previous_hash: string; hash: string };
export interface Form {
  readonly media: string;
  readonly file_name: string;
  readonly head?: string;
  line(json: string): string;
}

const columns = [
  ...['sequence', 'at', 'action', 'request_id', 'actor_type', 'actor_id', 'on_behalf_of', 'credential_type'],
  ...['credential_id', 'object_type', 'object_id', 'object_key', 'change', 'before', 'after', 'others', 'ip'],
  ...['user_agent', 'previous_hash', 'hash'],
];

export const forms: Readonly<Record<Format, Form>> = {
  jsonl: { media: 'application/x-ndjson', file_name: 'audit.jsonl', line: (json) => `${json}\n` },
  csv: {
    media: 'text/csv; charset=utf-8',
    file_name: 'audit.csv',
    head: `${columns.join(',')}\r\n`,
    line: (json) => `${cellsOf(JSON.parse(json)).map(cell).join(',')}\r\n`,
  },
  ocsf: {
    media: 'application/x-ndjson',
    file_name: 'audit-ocsf.jsonl',
    line: (json) => `${JSON.stringify(eventOf(JSON.parse(json)))}\n`,
  },
};

const inJson = (value: unknown) => (value === null ? '' : JSON.stringify(value));
const cellsOf = (e: Told): unknown[] => [
  ...[e.sequence, e.at, e.action, e.request_id, e.actor.type, e.actor.id, e.on_behalf_of, e.credential?.type],
  ...[e.credential?.id, e.type, e.id, inJson(e.key), e.change, inJson(e.before), inJson(e.after)],
  ...[e.others.length > 0 ? inJson(e.others) : '', e.ip, e.user_agent, e.previous_hash, e.hash],
];
/** RFC 4180. A spreadsheet must not take what a client sent for a formula. */
function cell(value: unknown): string {
  const text = String(value ?? '');
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// https://schema.ocsf.io/1.3.0: Account Change, Authentication, Group Management, API Activity
const classes = { account: 3001, authentication: 3002, group: 3006, api: 6003 } as const;
const apiActivities: Readonly<Record<Entry['change'], number>> = {
  ...{ created: 1, none: 2, changed: 3, deleted: 4 },
  more: 99,
};
/** Class and activity. */
function classOf({ type, change, after }: Entry): [number, number] {
  if (type === 'session' || type === 'sign_in') return [classes.authentication, change === 'deleted' ? 2 : 1];
  if (type === 'user') {
    if (change === 'created') return [classes.account, 1];
    if (after && 'is_active' in after) return [classes.account, after.is_active === true ? 2 : 5];
    return [classes.account, after && 'password_hash' in after ? 3 : 99];
  }
  if (/^(space|team)_member$/.test(type))
    return [classes.group, change === 'created' ? 3 : change === 'deleted' ? 4 : 99];
  return [classes.api, apiActivities[change]];
}
const isRefused = (after: Values | null) => after !== null && 'refused' in after;

export function eventOf(e: Told) {
  const [class_uid, activity_id] = classOf(e);
  const resource = { type: e.type, uid: String(e.id ?? inJson(e.key)), data: { before: e.before, after: e.after } };
  const person = e.actor.type === 'person' ? e.actor.id : e.on_behalf_of;
  const user = { uid: String(person ?? `${e.actor.type} ${e.actor.id ?? ''}`.trim()), type_id: person ? 1 : 3 };
  const target = e.type === 'user' ? e.id : ((e.after ?? e.before)?.user_id as number | undefined);
  return {
    metadata: {
      version: '1.3.0',
      product: { name: 'Atrium', vendor_name: 'Atrium' },
      uid: `${e.organisation_id}-${e.sequence}`,
      tenant_uid: String(e.organisation_id),
      ...(e.request_id !== null && { correlation_uid: e.request_id }),
    },
    time: Date.parse(e.at),
    category_uid: Math.floor(class_uid / 1000),
    class_uid,
    activity_id,
    type_uid: class_uid * 100 + activity_id,
    severity_id: isRefused(e.after) ? 2 : 1,
    status_id: isRefused(e.after) ? 2 : 1,
    actor: {
      user,
      ...(e.actor.type === 'app' || e.actor.type === 'program' ? { app_uid: String(e.actor.id) } : {}),
      ...(e.credential && { session: { uid: String(e.credential.id), credential_uid: e.credential.type } }),
    },
    api: { operation: e.action, ...(e.request_id !== null && { request: { uid: e.request_id } }) },
    src_endpoint: e.ip === null ? { name: 'server' } : { ip: e.ip },
    ...(e.user_agent ? { http_request: { user_agent: e.user_agent } } : {}),
    ...(class_uid < classes.api ? { user: { uid: String(target ?? 'unknown') } } : {}),
    ...(class_uid === classes.group ? { group: { uid: String(e.key?.space_id ?? e.key?.team_id ?? '') } } : {}),
    resources: [resource],
    unmapped: { others: e.others, hash: e.hash, previous_hash: e.previous_hash },
  };
}

export const sealOf = (seal: object) => `${JSON.stringify(hashed({ seal }))}\n`;
