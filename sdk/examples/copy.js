// Keeps a copy of what an API key may read. Run it again whenever you like: it goes on where it ended.
//
//   ATRIUM_URL=http://127.0.0.1:4000 SERVICE_ID=1 API_KEY=… node sdk/examples/copy.js copy.json
import { readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';

/** `copy` is { after, rows }: the number to go on from, and resources by type and id. */
export async function follow(copy, { url, service_id, api_key }) {
  const headers = { authorization: `Bearer ${api_key}`, 'service-id': String(service_id) };
  for (let has_more = true; has_more; ) {
    const answer = await fetch(`${url}/v1/changes?take=500&after=${copy.after}`, { headers });
    if (answer.status === 410) {
      Object.assign(copy, { after: 0, rows: {} });
      continue;
    }
    if (!answer.ok) throw new Error(await answer.text());
    const { data, meta } = await answer.json();
    for (const { type, id, resource } of data) {
      if (resource) copy.rows[`${type} ${id}`] = resource;
      else delete copy.rows[`${type} ${id}`];
    }
    copy.after = meta.next;
    has_more = meta.has_more;
  }
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  const { ATRIUM_URL: url, SERVICE_ID: service_id, API_KEY: api_key } = process.env;
  const file = argv[2] ?? 'copy.json';
  let copy = { after: 0, rows: {} };
  try {
    copy = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // The first run.
  }
  await follow(copy, { url, service_id, api_key });
  writeFileSync(file, JSON.stringify(copy));
  process.stdout.write(`${Object.keys(copy.rows).length} resources, up to ${copy.after}\n`);
}
