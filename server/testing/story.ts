// An organisation with content of every form, written by the interface.
import { type Client, each, put } from './client.ts';

export interface Scale {
  spaces: number;
  updates: number;
  kudos: number;
  articles: number;
  documents: number;
}

/**
 * Fills the organisation by the same interface: people of the cast, spaces of every visibility, content of every form.
 */
export async function tell(
  client: Client,
  { spaces, updates, kudos, articles, documents }: Scale,
  files: { png: Buffer; mp4: Buffer },
) {
  const users: number[] = (await client.all('/v1/users')).map(({ id }) => id);
  const user = (n: number) => users[n % users.length];
  const two = (n: number) => String(n).padStart(2, '0');
  const moment = (n: number) =>
    `20${two(10 + (n % 15))}-${two(1 + (n % 12))}-${two(1 + (n % 28))}` +
    `T08:${two(n % 60)}:00.${String(100000 + (n % 900000))}Z`;
  const made: number[] = [];
  for (let n = 0; n < spaces; n++) {
    const { data } = await client.call('POST', '/v1/spaces', {
      name: `Space ${n}`,
      external_id: `RT-${n}`,
      visibility: ['public', 'private', 'hidden'][n % 3],
      user_id: user(n),
    });
    made.push(data.id);
    const roles = ['editor', 'news_editor', 'member', 'moderator'];
    for (const [i, role] of roles.entries())
      if (user(n) !== user(n + i + 1))
        await client.call('PATCH', `/v1/spaces/${data.id}/users`, { [`ids_to_set_as_${role}`]: [user(n + i + 1)] });
  }
  const audience = (n: number) =>
    [
      { type: 'Global' },
      { type: 'spaces', spaces: [made[n % made.length]] },
      { type: 'spaces', spaces: [made[n % made.length], made[(n + 1) % made.length]] },
      { type: 'teams', teams: [1] },
    ][n % 4];
  const common = (n: number, prefix: string) => ({
    external_id: `${prefix}-${n}`,
    user_id: user(n),
    created_at: moment(n),
    audience: audience(n),
    ...(n % 5 === 0 ? { language: 'de' } : {}),
  });
  const file = (form: FormData, name: string, bytes: Buffer, type: string, file_name: string) =>
    form.append(name, new Blob([new Uint8Array(bytes)], { type }), file_name);
  const body = (fields: object, n: number) => {
    if (n % 4 !== 0) return fields;
    const form = new FormData();
    put(form, '', fields);
    for (let i = 0; i <= n % 3; i++) file(form, `gallery[${i}]`, files.png, 'image/png', `picture ${i}.png`);
    file(form, 'attachments[0]', Buffer.from(`plan ${n}`), 'text/plain', `Plan Nº ${n}.txt`);
    if (n % 8 === 0) file(form, 'video', files.mp4, 'video/mp4', 'film.mp4');
    return form;
  };
  const hang = async (path: string, n: number) => {
    for (let i = 0; i < n % 3; i++)
      await client.call('POST', `${path}/likes`, { user_id: user(n + i), created_at: moment(n + i) });
    if (n % 3 !== 0) return;
    const { data } = await client.call('POST', `${path}/comments`, {
      text: `Said about ${n}\nin two lines`,
      user_id: user(n + 1),
      created_at: moment(n + 1),
      comment_external_id: `${path}/${n}`,
      mentioned_user_ids: [user(n), user(n + 2)].filter((id, i, all) => all.indexOf(id) === i),
    });
    await client.call('POST', `${path}/comments/${data.id}/replies`, {
      text: ' ',
      user_id: user(n + 2),
      created_at: moment(n + 2),
    });
    await client.call('POST', `${path}/comments/${data.id}/likes`, { user_id: user(n + 3), created_at: moment(n + 3) });
  };
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
  /** Its id. */
  const publish = async (family: string, fields: object, n: number): Promise<number> => {
    const { data } = await client.call('POST', `/v1/${family}`, body(fields, n));
    await hang(`/v1/${family}/${data.id}`, n);
    return data.id;
  };
  await each(numbers(updates), async (n) => {
    const html = `<p>Update <b>${n}</b> &amp; <a href="https://example.org/${n}">more</a></p>`;
    await publish('updates', { ...common(n, 'RU'), html, requires_acknowledgement: n % 7 === 0 }, n);
  });
  await each(numbers(kudos), async (n) => {
    const recipients = { users: [user(n + 1)], ...(n % 2 ? { teams: [1] } : {}) };
    await publish('kudos', { ...common(n, 'RK'), text: `Thank you ${n}`, recipients }, n);
  });
  await each(numbers(articles), async (n) => {
    const fields = {
      ...common(n, 'RA'),
      title: `Article ${n}`,
      subtitle: n % 2 ? 'Below the title' : '',
      html_content: `<h2>Article ${n}</h2><table><tr><td>${n}</td></tr></table>`,
      published_at: moment(n),
      ...(n % 6 === 0 ? { archive_at: '2090-01-01T00:00:00Z' } : {}),
    };
    const id = await publish('articles', fields, n);
    if (n % 9 === 0) await client.call('DELETE', `/v1/articles/${id}`);
  });
  const top = (await client.call('POST', '/v1/documents/folders', { name: 'Carried', description: 'Over' })).data.id;
  const below = (await client.call('POST', '/v1/documents/folders', { name: 'Below', parent_id: top })).data.id;
  for (const n of numbers(documents)) {
    const fields = {
      label: `Document ${n}`,
      location_id: n % 2 ? top : below,
      user_id: user(n),
      created_at: moment(n),
    };
    if (n % 3 === 0) await client.call('POST', '/v1/documents', { ...fields, url: `https://example.org/${n}` });
    else {
      const form = new FormData();
      put(form, '', fields);
      file(form, 'document', Buffer.from(`document ${n}`), 'text/plain', `d${n}.txt`);
      await client.call('POST', '/v1/documents', form);
    }
  }
}
