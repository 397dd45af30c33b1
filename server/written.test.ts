// What a request may write is kept: every field of every body is written, and read back from the answer.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Endpoint } from './kernel/contract/contract.ts';
import { routes } from './modules.ts';
import { startAtrium } from './testing/atrium.ts';

interface Field {
  type?: string;
  format?: string;
  pattern?: string;
  anyOf?: Field[];
  enum?: unknown[];
  properties?: Record<string, Field>;
  'x-file'?: boolean;
  writeOnly?: boolean;
}
type Body = Record<string, unknown>;
const atrium = await startAtrium();

/** Where an answer shows a field that is written under another name. */
const shownAs: Record<string, string[]> = {
  user_id: ['creator.id', 'user.id', 'user_id', 'created_by'],
  user_external_id: ['creator.external_id', 'creator.id', 'user.external_id', 'user_external_id', 'created_by'],
  external_user_id: ['user_external_id'],
  host_id: ['host.id'],
  host_external_id: ['host.external_id'],
  manager_external_id: ['manager_id'],
  goal_id: ['goal.id'],
  cover_image_id: ['cover_image.asset_id', 'cover_image'],
  video_id: ['video.asset_id'],
  team_type: ['team_type.name'],
  team_type_id: ['team_type.id'],
  external_parent_id: ['parent_id', 'external_parent_id'],
  asset_id: ['document.asset_id'],
  url: ['url', 'document.url'],
  bot_webhook_url: ['bot_callback_url'],
  global_audience: ['audience.is_global'],
};
/** By number where it is named by the caller's id. */
const people: Record<string, unknown> = { 'E-1001': 1 };
/** Fields of the example that cannot stand beside the one that is written. */
const without: Record<string, string[]> = { asset_id: ['url'], space_id: ['parent_id'] };
/** Refused because of what else the row has; the refusal proves that the field is read. */
const refusedFor: Record<string, string> = {
  'replaceBot.global_audience': 'audience',
  'replaceLivestream.is_recorded': 'recording_status',
};
let counter = 0;
const unique = /^(external_id|legacy_system_id|comment_external_id|name|email|slug|title|label)$/;
/** Of these the example's value may be taken, or gone, by now. */
const isOwn = (name: string) => unique.test(name) || /external_(user_)?id$/.test(name);
const FUTURE = '2031-02-02T02:02:02.000000Z';

/** Values that nothing has yet, of a kind that the field takes: more than one where one may be the default. */
function valuesFor(field: Field, name: string): unknown[] {
  const n = ++counter;
  if (field.anyOf) return valuesFor(field.anyOf[0] ?? {}, name);
  if (/external_(user_)?id$/.test(name) && !unique.test(name) && field.type === 'string') return ['E-1001'];
  if (field.enum) return field.enum;
  if (field.type === 'boolean') return [true, false];
  if (field.type === 'integer') return name === 'external_id' ? [1_000_000 + n] : /_id$/.test(name) ? [1] : [1, 0];
  if (field.type !== 'string') return [];
  const formats: Record<string, string> = {
    email: `written-${n}@northwind.example`,
    'date-time': name === 'created_at' ? '2020-02-02T02:02:02.000000Z' : FUTURE,
    date: '1990-02-02',
    uri: `https://northwind.example/written-${n}`,
    language: 'de',
    timezone: 'Asia/Tokyo',
  };
  return field.format || field.pattern ? [formats[field.format ?? ''] ?? []].flat() : [`written-${n}`];
}
const leaves = (value: Field) => value.properties ?? {};
const at = (data: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((part, name) => (part as Body | null | undefined)?.[name], data);
const pathOf = ({ path, example }: Endpoint) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(example.params?.[name])));
const isKept = (shown: unknown, value: unknown) =>
  shown !== undefined && [value, people[String(value)], Number(value)].some((each) => each === shown);

const isTested = (operation: string, { body, reply, actors }: Endpoint) =>
  body && reply && !actors && /^(create|replace)/.test(operation) && !operation.endsWith('ByExternalId');

/** Sends the example with this field, and says what became of it. */
async function faultOf(operation: string, endpoint: Endpoint, name: string, value: unknown): Promise<string[]> {
  const fields = leaves(endpoint.body as Field);
  const base = Object.entries(endpoint.example.body ?? {})
    .filter(([key]) => !without[name]?.includes(key))
    .map(([key, given]) => [key, isOwn(key) ? valuesFor(fields[key] ?? {}, key)[0] : given]);
  const json = { ...Object.fromEntries(base), [name]: value };
  const { status, body } = await atrium.call(endpoint.method, pathOf(endpoint), { json });
  if (status >= 400) {
    const blamed = JSON.stringify([body.code, body.meta.errors]);
    const isBlamed = [name.replace(/_id$/, ''), refusedFor[`${operation}.${name}`] ?? name].some((each) =>
      blamed.includes(each),
    );
    return isBlamed ? [] : [`${name} = ${JSON.stringify(value)}: ${blamed}`];
  }
  const shown = [name, ...(shownAs[name] ?? [])].map((place) => at(body.data, place));
  return shown.some((each) => isKept(each, value))
    ? []
    : [`${name} = ${JSON.stringify(value)}: ${JSON.stringify(shown)}`];
}

describe('what is written is kept', () => {
  for (const { family } of routes)
    for (const [operation, endpoint] of Object.entries<Endpoint>(family.endpoints)) {
      if (!isTested(operation, endpoint)) continue;
      test(`${operation}: each text, number, date and choice is read back, or declared write-only`, async () => {
        const faults: string[] = [];
        for (const [name, field] of Object.entries(leaves(endpoint.body as Field))) {
          if (field['x-file'] || field.anyOf?.[0]?.['x-file'] || field.writeOnly) continue;
          for (const value of valuesFor(field, name)) faults.push(...(await faultOf(operation, endpoint, name, value)));
        }
        assert.deepEqual(faults, []);
      });
    }
});
