// A client that knows only the interface: reads a whole organisation, writes it into another, and says what it read in
// terms that do not depend on ids and addresses.
import { createHash } from 'node:crypto';

export interface Account {
  url: string;
  organisation_id: number;
  api_key: string;
}
// biome-ignore lint/suspicious/noExplicitAny: replies of every shape.
type Any = any;

export class Client {
  readonly account: Account;
  constructor(account: Account) {
    this.account = account;
  }

  async call(method: string, path: string, body?: object): Promise<Any> {
    const isForm = body instanceof FormData;
    const response = await fetch(this.account.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.account.api_key}`,
        'service-id': String(this.account.organisation_id),
        accept: 'application/json',
        ...(body && !isForm ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
    });
    const answer = (await response.json()) as Any;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }
  get = async (path: string) => (await this.call('GET', path)).data;

  /** Every row of a list, in its order. */
  async all(path: string): Promise<Any[]> {
    const rows: Any[] = [];
    for (let skip = 0; ; skip += 100) {
      const { data, meta } = await this.call('GET', `${path}${path.includes('?') ? '&' : '?'}skip=${skip}&take=100`);
      rows.push(...data);
      if (meta.pagination.next_page === null) return rows;
    }
  }

  /** Bytes behind a signed address, which carries the organisation's own host. */
  async bytes(url: string): Promise<Buffer> {
    const { pathname, search } = new URL(url);
    const response = await fetch(this.account.url + pathname + search);
    if (!response.ok) throw new Error(`GET ${pathname}: ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  }
}

/** At most so many at once. */
export async function each<T>(items: readonly T[], work: (item: T, n: number) => Promise<void>, at_once = 8) {
  const queue = items.entries();
  await Promise.all(
    Array.from({ length: at_once }, async () => {
      for (const [n, item] of queue) await work(item, n);
    }),
  );
}

// ---- Reading -----------------------------------------------------------------------------------------------------

interface StoredFile {
  file_name: string;
  content_type: string;
  sha256: string;
}
export interface Exported {
  people: Any[];
  teams: Any[];
  spaces: Any[];
  updates: Any[];
  kudos: Any[];
  articles: Any[];
  folders: Any[];
  documents: Any[];
}

/** `files` keeps the bytes by their hash, for the import. */
export async function exportAll(client: Client, files: Map<string, Buffer>): Promise<Exported> {
  const users = await client.all('/v1/users');
  const emails = new Map<number, string>(users.map(({ id, email }) => [id, email]));
  // Whoever is no person is the service account of an app, which another organisation has of its own.
  const who = ({ id }: Any) => emails.get(id) ?? 'an app';
  const fileOf = async (file: Any): Promise<StoredFile> => {
    const bytes = await client.bytes(file.url);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    files.set(sha256, bytes);
    return { file_name: file.file_name, content_type: file.content_type, sha256 };
  };
  const filesOf = async ({ gallery, attachments, video, cover_image }: Any) => ({
    gallery: await Promise.all(gallery.map(fileOf)),
    attachments: await Promise.all(attachments.map(fileOf)),
    video: video && (await fileOf(video)),
    cover_image: cover_image && (await fileOf(cover_image)),
  });
  const likesOf = async (path: string, count: number) =>
    count === 0 ? [] : (await client.all(`${path}/likes`)).map(({ user, created_at }) => ({ user: who(user), created_at }));
  const commentsOf = async (path: string, count: number): Promise<Any[]> => {
    if (count === 0) return [];
    const said = await client.all(path);
    return Promise.all(
      said.map(async (comment) => ({
        external_id: comment.external_id,
        text: comment.text,
        user: who(comment.user),
        created_at: comment.created_at,
        mentions: comment.mentions.map(who).sort(),
        likes: await likesOf(`${path.replace(/\/\d+\/replies$/, '')}/${comment.id}`, comment.likes_count),
        replies: comment.comment_parent_id === null ? await commentsOf(`${path}/${comment.id}/replies`, comment.replies_count) : [],
      })),
    );
  };
  const audienceOf = ({ type, spaces, teams }: Any) => ({
    type,
    spaces: spaces.map(({ name }: Any) => name),
    teams: teams.map(({ name }: Any) => name),
  });
  const common = async (family: string, content: Any) => ({
    external_id: content.external_id,
    language: content.language,
    creator: who(content.creator),
    created_at: content.created_at,
    audience: audienceOf(content.audience),
    requires_acknowledgement: content.requires_acknowledgement,
    ...(await filesOf(content)),
    likes: await likesOf(`/v1/${family}/${content.id}`, content.likes_count),
    comments: await commentsOf(`/v1/${family}/${content.id}/comments`, content.comments_count),
  });
  const posted = async (family: string, path: string, more: (content: Any) => object) => {
    const rows = await client.all(path);
    const read: Any[] = [];
    await each(rows, async (content, n) => {
      read[n] = { ...(await common(family, content)), ...more(content) };
    });
    return read;
  };

  const folders = await client.all('/v1/documents/folders');
  const pathOf = (id: number | null): string => {
    const folder = folders.find((one) => one.id === id);
    return folder ? `${pathOf(folder.parent_id)}/${folder.name}` : '';
  };
  const teams = await client.all('/v1/teams');
  const spaces = await client.all('/v1/spaces');
  const spaceName = (id: number | null) => spaces.find((space) => space.id === id)?.name ?? null;
  return {
    people: users.map(
      ({ email, external_id, first_name, last_name, display_name, job_title, timezone, locale, hire_date, mobile_phone }) => ({
        ...{ email, external_id, first_name, last_name, display_name, job_title, timezone, locale, hire_date, mobile_phone },
      }),
    ),
    teams: await Promise.all(
      teams.map(async ({ id, name, external_id, team_type }) => ({
        ...{ name, external_id, team_type: team_type?.name },
        members: (await client.all(`/v1/teams/${id}/users`)).map(({ email }) => email).sort(),
      })),
    ),
    spaces: await Promise.all(
      spaces.map(async ({ id, name, external_id, description, visibility, is_corporate, is_read_only }) => ({
        ...{ name, external_id, description, visibility, is_corporate, is_read_only },
        members: (await client.all(`/v1/spaces/${id}/users`)).map(({ email, space_role }) => `${email} ${space_role}`).sort(),
      })),
    ),
    updates: await posted('updates', '/v1/updates', ({ text, html }) => ({ text, html })),
    kudos: await posted('kudos', '/v1/kudos', ({ text, html, recipients }) => ({
      ...{ text, html },
      recipients: { users: recipients.users.map(who), teams: recipients.teams.map(({ name }: Any) => name) },
    })),
    articles: await posted('articles', '/v1/articles?state=all', (article) => {
      const { title, subtitle, html_content, slug, is_draft, published_at, archive_at, is_archived } = article;
      return { title, subtitle, html_content, slug, is_draft, published_at, archive_at, is_archived };
    }),
    folders: folders.map((folder) => ({ path: pathOf(folder.id), description: folder.description, space: spaceName(folder.space_id) })),
    documents: await Promise.all(
      (await client.all('/v1/documents')).map(async ({ label, description, document, location_id, space_id, creator, created_at }) => ({
        ...{ label, description, folder: pathOf(location_id), space: spaceName(space_id), creator: who(creator), created_at },
        ...(document.asset_id === null ? { url: document.url } : { file: await fileOf(document) }),
      })),
    ),
  };
}

// ---- Writing -----------------------------------------------------------------------------------------------------

/** Writes what was read. People and things that are there already (the first admin) are taken as they are. */
export async function importAll(client: Client, exported: Exported, files: ReadonlyMap<string, Buffer>) {
  const people = new Map<string, number>((await client.all('/v1/users')).map(({ email, id }) => [email, id]));
  for (const person of exported.people) {
    const known = people.get(person.email);
    const { data } = await (known ? client.call('PUT', `/v1/users/${known}`, person) : client.call('POST', '/v1/users', person));
    people.set(person.email, data.id);
  }
  const types = new Map<string, number>((await client.all('/v1/teams/types')).map(({ name, id }) => [name, id]));
  const teams = new Map<string, number>();
  for (const { members, team_type, ...team } of exported.teams) {
    if (team_type && !types.has(team_type))
      types.set(team_type, (await client.call('POST', '/v1/teams/types', { name: team_type })).data.id);
    const { data } = await client.call('POST', '/v1/teams', { ...team, team_type_id: types.get(team_type) });
    teams.set(team.name, data.id);
    if (members.length > 0)
      await client.call('PATCH', `/v1/teams/${data.id}/users`, { ids_to_add: members.map((email: string) => people.get(email)) });
  }
  const spaces = new Map<string, number>();
  for (const { members, ...space } of exported.spaces) {
    const { data } = await client.call('POST', '/v1/spaces', space);
    spaces.set(space.name, data.id);
    const byRole = Map.groupBy(members as string[], (member) => member.split(' ')[1]);
    for (const [role, those] of byRole)
      await client.call('PATCH', `/v1/spaces/${data.id}/users`, {
        [`ids_to_set_as_${role}`]: those.map((member) => people.get(member.split(' ')[0] ?? '')),
      });
  }

  const author = (email: string) => (people.has(email) ? { user_id: people.get(email) } : {});
  const audience = (given: Any) => ({
    type: given.type,
    ...(given.type === 'spaces' ? { spaces: given.spaces.map((name: string) => spaces.get(name)) } : {}),
    ...(given.type === 'teams' ? { teams: given.teams.map((name: string) => teams.get(name)) } : {}),
  });
  const bodyOf = (fields: object, given: Any): object => {
    const form = new FormData();
    const add = (name: string, { sha256, content_type, file_name }: StoredFile) =>
      form.append(name, new Blob([new Uint8Array(files.get(sha256) ?? Buffer.alloc(0))], { type: content_type }), file_name);
    given.gallery.forEach((file: StoredFile, n: number) => void add(`gallery[${n}]`, file));
    given.attachments.forEach((file: StoredFile, n: number) => void add(`attachments[${n}]`, file));
    if (given.video) add('video', given.video);
    if (given.cover_image) add('cover_image', given.cover_image);
    if ([...form.keys()].length === 0) return fields;
    put(form, '', fields);
    return form;
  };
  const hang = async (path: string, { likes, comments }: Any) => {
    for (const { user, created_at } of likes) await client.call('POST', `${path}/likes`, { ...author(user), created_at });
    await say(`${path}/comments`, comments);
  };
  const say = async (path: string, comments: Any[]) => {
    for (const { external_id, text, user, created_at, mentions, likes, replies } of comments) {
      const mentioned_user_ids = mentions.map((email: string) => people.get(email));
      const { data } = await client.call('POST', path, {
        comment_external_id: external_id,
        text,
        created_at,
        mentioned_user_ids,
        ...author(user),
      });
      const own = `${path.replace(/\/\d+\/replies$/, '')}/${data.comment_id}`;
      for (const like of likes) await client.call('POST', `${own}/likes`, { ...author(like.user), created_at: like.created_at });
      if (replies.length > 0) await say(`${own}/replies`, replies);
    }
  };
  const common = (given: Any) => ({
    ...(given.external_id === null ? {} : { external_id: given.external_id }),
    ...(given.language === null ? {} : { language: given.language }),
    ...author(given.creator),
    created_at: given.created_at,
    audience: audience(given.audience),
    requires_acknowledgement: given.requires_acknowledgement,
  });
  await each(exported.updates, async (update) => {
    const fields = { ...common(update), text: update.text, html: update.html };
    const { data } = await client.call('POST', '/v1/updates', bodyOf(fields, update));
    await hang(`/v1/updates/${data.id}`, update);
  });
  await each(exported.kudos, async (kudos) => {
    const recipients = {
      users: kudos.recipients.users.map((email: string) => people.get(email)),
      teams: kudos.recipients.teams.map((name: string) => teams.get(name)),
    };
    const { data } = await client.call(
      'POST',
      '/v1/kudos',
      bodyOf({ ...common(kudos), text: kudos.text, html: kudos.html, recipients }, kudos),
    );
    await hang(`/v1/kudos/${data.id}`, kudos);
  });
  await each(exported.articles, async (article) => {
    const { title, subtitle, html_content, slug, is_draft, published_at, archive_at, is_archived } = article;
    const fields = {
      ...common(article),
      title,
      subtitle,
      html_content,
      slug,
      is_draft,
      ...(published_at ? { published_at } : {}),
      ...(archive_at ? { archive_at } : {}),
    };
    const { data } = await client.call('POST', '/v1/articles', bodyOf(fields, article));
    await hang(`/v1/articles/${data.id}`, article);
    if (is_archived) await client.call('DELETE', `/v1/articles/${data.id}`);
  });

  const folders = new Map<string, number>();
  for (const { path, description, space } of [...exported.folders].sort((a, b) => a.path.split('/').length - b.path.split('/').length)) {
    const parent = folders.get(path.slice(0, path.lastIndexOf('/')));
    const { data } = await client.call('POST', '/v1/documents/folders', {
      name: path.slice(path.lastIndexOf('/') + 1),
      description,
      ...(parent ? { parent_id: parent } : { space_id: spaces.get(space) ?? null }),
    });
    folders.set(path, data.id);
  }
  for (const { folder, space, creator, file, ...document } of exported.documents) {
    const fields = {
      ...document,
      location_id: folders.get(folder) ?? null,
      ...(folder ? {} : { space_id: spaces.get(space) ?? null }),
      ...author(creator),
    };
    const form = new FormData();
    if (file) {
      form.append(
        'document',
        new Blob([new Uint8Array(files.get(file.sha256) ?? Buffer.alloc(0))], { type: file.content_type }),
        file.file_name,
      );
      put(form, '', fields);
    }
    await client.call('POST', '/v1/documents', file ? form : fields);
  }
}

/** A tree as form fields. Clients' forms turn line breaks of text into CRLF, so text goes as it is only where it has none. */
function put(form: FormData, name: string, value: unknown) {
  if (value === undefined) return;
  if (Array.isArray(value)) for (const [i, one] of value.entries()) put(form, `${name}[${i}]`, one);
  else if (typeof value === 'object' && value !== null)
    for (const [key, one] of Object.entries(value)) put(form, name === '' ? key : `${name}[${key}]`, one);
  else form.append(name, value === null ? '' : typeof value === 'boolean' ? String(Number(value)) : String(value));
}

// ---- A story to carry over ---------------------------------------------------------------------------------------

export interface Scale {
  spaces: number;
  updates: number;
  kudos: number;
  articles: number;
  documents: number;
}

/** Fills the organisation by the same interface: people of the cast, spaces of every visibility, content of every form. */
export async function tell(client: Client, { spaces, updates, kudos, articles, documents }: Scale, files: { png: Buffer; mp4: Buffer }) {
  const users: number[] = (await client.all('/v1/users')).map(({ id }) => id);
  const user = (n: number) => users[n % users.length];
  const moment = (n: number) =>
    `20${String(10 + (n % 15)).padStart(2, '0')}-${String(1 + (n % 12)).padStart(2, '0')}-${String(1 + (n % 28)).padStart(2, '0')}T08:${String(n % 60).padStart(2, '0')}:00.${String(100000 + (n % 900000))}Z`;
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
    for (let i = 0; i < n % 3; i++) await client.call('POST', `${path}/likes`, { user_id: user(n + i), created_at: moment(n + i) });
    if (n % 3 !== 0) return;
    const { data } = await client.call('POST', `${path}/comments`, {
      text: `Said about ${n}\nin two lines`,
      user_id: user(n + 1),
      created_at: moment(n + 1),
      comment_external_id: `${path}/${n}`,
      mentioned_user_ids: [user(n), user(n + 2)].filter((id, i, all) => all.indexOf(id) === i),
    });
    await client.call('POST', `${path}/comments/${data.id}/replies`, { text: ' ', user_id: user(n + 2), created_at: moment(n + 2) });
    await client.call('POST', `${path}/comments/${data.id}/likes`, { user_id: user(n + 3), created_at: moment(n + 3) });
  };
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
  await each(numbers(updates), async (n) => {
    const { data } = await client.call(
      'POST',
      '/v1/updates',
      body(
        {
          ...common(n, 'RU'),
          html: `<p>Update <b>${n}</b> &amp; <a href="https://example.org/${n}">more</a></p>`,
          requires_acknowledgement: n % 7 === 0,
        },
        n,
      ),
    );
    await hang(`/v1/updates/${data.id}`, n);
  });
  await each(numbers(kudos), async (n) => {
    const { data } = await client.call(
      'POST',
      '/v1/kudos',
      body({ ...common(n, 'RK'), text: `Thank you ${n}`, recipients: { users: [user(n + 1)], ...(n % 2 ? { teams: [1] } : {}) } }, n),
    );
    await hang(`/v1/kudos/${data.id}`, n);
  });
  await each(numbers(articles), async (n) => {
    const { data } = await client.call(
      'POST',
      '/v1/articles',
      body(
        {
          ...common(n, 'RA'),
          title: `Article ${n}`,
          subtitle: n % 2 ? 'Below the title' : '',
          html_content: `<h2>Article ${n}</h2><table><tr><td>${n}</td></tr></table>`,
          published_at: moment(n),
          ...(n % 6 === 0 ? { archive_at: '2090-01-01T00:00:00Z' } : {}),
        },
        n,
      ),
    );
    await hang(`/v1/articles/${data.id}`, n);
    if (n % 9 === 0) await client.call('DELETE', `/v1/articles/${data.id}`);
  });
  const top = (await client.call('POST', '/v1/documents/folders', { name: 'Carried', description: 'Over' })).data.id;
  const below = (await client.call('POST', '/v1/documents/folders', { name: 'Below', parent_id: top })).data.id;
  for (const n of numbers(documents)) {
    const fields = { label: `Document ${n}`, location_id: n % 2 ? top : below, user_id: user(n), created_at: moment(n) };
    if (n % 3 === 0) await client.call('POST', '/v1/documents', { ...fields, url: `https://example.org/${n}` });
    else {
      const form = new FormData();
      put(form, '', fields);
      file(form, 'document', Buffer.from(`document ${n}`), 'text/plain', `d${n}.txt`);
      await client.call('POST', '/v1/documents', form);
    }
  }
}
