import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import ical, { type VEvent } from 'node-ical';
import { signIn, startAtrium, world } from '../../testing/atrium.ts';

const atrium = await startAtrium();
const plain = {
  title: 'T',
  starts_at: '2030-05-01T10:00:00.5Z',
  ends_at: '2030-05-01T12:00:00Z',
  timezone: 'Europe/Berlin',
};
const event = async (json: object = {}) =>
  (await atrium.call('POST', '/v1/events', { json: { ...plain, ...json } })).body.data;
const put = (id: number, json: object) => atrium.call('PUT', `/v1/events/${id}`, { json: { ...plain, ...json } });
const textOf = async (id: number) => {
  const { status, body, headers } = await atrium.call('GET', `/v1/events/${id}/calendar.ics`);
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/calendar; charset=utf-8']);
  return body as string;
};
const entries = (text: string) =>
  Object.values(ical.sync.parseICS(text)).filter((part) => part?.type === 'VEVENT') as VEvent[];
const entryOf = async (id: number) =>
  entries(await textOf(id))[0] as VEvent & { sequence: string; transparency: string };
const titles = (text: string) => entries(text).map(({ summary }) => summary);
const as = (email: string) => signIn(atrium, email);
const emi = await as('emi.tanaka@northwind.example');
const ada = await as('ada.okafor@northwind.example');
const HOSTILE = 'Grüße; a, b \\ c "d"\r\nEND:VEVENT\nBEGIN:VALARM\u0007 🎉';

describe('an event as iCalendar (RFC 5545), read by another parser', () => {
  test('says everything, whatever its words are, in lines of at most 75 octets', async () => {
    const words = {
      title: HOSTILE,
      description: HOSTILE.repeat(20),
      location: 'Room; 1, 🎪'.repeat(20),
      url: 'https://example.org/a,b;c',
    };
    const { id, updated_at, created_at } = await event(words);
    const text = await textOf(id);
    assert.ok(text.endsWith('END:VCALENDAR\r\n') && !/(?<!\r)\n|\r(?!\n)/.test(text), 'every line ends in CRLF');
    for (const line of text.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75, line);
    assert.equal(text.match(/^BEGIN:VEVENT\r$/gm)?.length, 1);
    const entry = await entryOf(id);
    const readable = (given: string) => given.replaceAll('\r\n', '\n').replaceAll('\u0007', '');
    assert.deepEqual(
      [entry.summary, entry.description, entry.location, entry.url],
      [readable(words.title), readable(words.description), words.location, words.url],
    );
    assert.deepEqual(
      [entry.start.toISOString(), entry.end?.toISOString()],
      ['2030-05-01T10:00:00.000Z', '2030-05-01T12:00:00.000Z'],
    );
    const seconds = (moment: string) => `${moment.slice(0, 19)}.000Z`;
    assert.deepEqual(
      [entry.dtstamp, entry.lastmodified, entry.created].map((moment) =>
        new Date(moment as unknown as string).toISOString(),
      ),
      [seconds(updated_at), seconds(updated_at), seconds(created_at)],
    );
    assert.equal(entry.status, 'CONFIRMED');
  });

  test('keeps its UID while SEQUENCE rises with every change, and only then', async () => {
    const { id } = await event({ language: 'en' });
    const seen = [await entryOf(id)];
    for (const change of [{ title: 'Other' }, { title: 'Other' }, { title: 'Anders', language: 'de' }]) {
      await put(id, change);
      seen.push(await entryOf(id));
    }
    assert.deepEqual(
      seen.map(({ sequence }) => Number(sequence)),
      [0, 1, 1, 2],
    );
    assert.equal(new Set(seen.map(({ uid }) => uid)).size, 1);
    assert.match(String(seen[0]?.uid), /^[0-9a-f-]{36}$/);
    assert.notEqual((await entryOf((await event()).id)).uid, seen[0]?.uid);
  });

  test('is a date when it lasts all day, the same for every reader', async () => {
    const { id } = await event({
      all_day: true,
      timezone: 'Pacific/Auckland',
      starts_at: '2030-05-01',
      ends_at: '2030-05-02',
    });
    const text = await textOf(id);
    assert.ok(
      text.includes('\r\nDTSTART;VALUE=DATE:20300501\r\n') && text.includes('\r\nDTEND;VALUE=DATE:20300503\r\n'),
      text,
    );
    assert.equal((await entryOf(id)).datetype, 'date');
  });

  test('is cancelled when it is archived before its end; what took place stays confirmed', async () => {
    const [coming, past] = [
      await event(),
      await event({ starts_at: '2020-01-01T00:00:00Z', ends_at: '2020-01-02T00:00:00Z' }),
    ];
    await put(coming.id, { is_archived: true });
    await put(past.id, { starts_at: '2020-01-01T00:00:00Z', ends_at: '2020-01-02T00:00:00Z', is_archived: true });
    assert.deepEqual([(await entryOf(coming.id)).status, (await entryOf(past.id)).status], ['CANCELLED', 'CONFIRMED']);
  });
});

describe("a person's calendar", () => {
  const made = async () => {
    const { url } = (await emi.call('POST', '/v1/me/calendar-feed')).body.data;
    assert.match(url, /^http:\/\/northwind\.localhost\/calendars\/1\/[\w-]{43}\.ics$/);
    return new URL(url).pathname;
  };
  const read = (path: string) => atrium.call('GET', path, { key: null, service_id: null });

  test('holds what they see, without what they declined; what they go to takes their time', async () => {
    const audience = (id: number) => ({ audience: { type: 'spaces', spaces: [id] } });
    const [stores, , declined] = [
      await event({ ...audience(2), title: 'Stores' }),
      await event({ ...audience(4), title: 'Board' }),
      await event({ title: 'Declined' }),
      await event({ title: 'Long ago', starts_at: '2020-01-01T00:00:00Z', ends_at: '2020-01-02T00:00:00Z' }),
    ];
    await emi.call('POST', `/v1/events/${stores.id}/rsvp`, { json: { status: 'going' } });
    await emi.call('POST', `/v1/events/${declined.id}/rsvp`, { json: { status: 'declined' } });
    const { body, status, headers } = await read(await made());
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/calendar; charset=utf-8']);
    const seen = titles(body);
    assert.ok(seen.includes('Stores') && seen.includes('Town hall'));
    for (const title of ['Board', 'Declined', 'Long ago']) assert.ok(!seen.includes(title), title);
    assert.ok(
      entries(body).every(({ summary, transparency }) => (transparency === 'OPAQUE') === (summary === 'Stores')),
    );
    assert.equal((await emi.call('GET', '/v1/events/calendar.ics')).body, body, 'the same as for the signed-in person');
    assert.ok(titles((await ada.call('GET', '/v1/events/calendar.ics')).body).includes('Board'));
    const contoso = { key: world.contoso.api_key, service_id: world.contoso.organisation_id };
    assert.deepEqual(titles((await atrium.call('GET', '/v1/events/calendar.ics', contoso)).body), []);
  });

  test(`has one address at a time, which a new one, revoking, or losing access ends at once; \
only a hash is stored`, async () => {
    const first = await made();
    const address = await made();
    assert.deepEqual([(await read(first)).status, (await read(address)).status], [404, 200]);
    assert.equal((await read(address.replace('/1/', '/2/'))).status, 404, 'of another organisation');
    assert.equal((await read(`${address.slice(0, -8)}AAAA.ics`)).status, 404);
    const secret = address.slice(address.lastIndexOf('/') + 1, -4);
    assert.deepEqual(await atrium.rows('select from calendar_feeds f where f::text like $1', [`%${secret}%`]), []);
    assert.ok((await emi.call('GET', '/v1/me/calendar-feed')).body.data.created_at);
    await atrium.rows('update users set has_access = false where organisation_id = 1 and id = $1', [emi.user.id]);
    assert.equal((await read(address)).status, 404);
    await atrium.rows('update users set has_access = true where organisation_id = 1 and id = $1', [emi.user.id]);
    assert.equal((await read(address)).status, 200);
    await emi.call('DELETE', '/v1/me/calendar-feed');
    assert.equal((await read(address)).status, 404);
    assert.deepEqual((await emi.call('GET', '/v1/me/calendar-feed')).body.data, { created_at: null });
  });
});
