// Writes what export.ts read into another organisation.
import { type Any, type Client, each, put } from './client.ts';
import type { Exported, StoredFile } from './export.ts';

/** Writes what was read. People and things that are there already (the first admin) are taken as they are. */
export async function importAll(client: Client, exported: Exported, files: ReadonlyMap<string, Buffer>) {
  const people = new Map<string, number>((await client.all('/v1/users')).map(({ email, id }) => [email, id]));
  for (const person of exported.people) {
    const known = people.get(person.email);
    const { data } = await (known
      ? client.call('PUT', `/v1/users/${known}`, person)
      : client.call('POST', '/v1/users', person));
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
      await client.call('PATCH', `/v1/teams/${data.id}/users`, {
        ids_to_add: members.map((email: string) => people.get(email)),
      });
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
  const add = (form: FormData, name: string, { sha256, content_type, file_name }: StoredFile) =>
    form.append(
      name,
      new Blob([new Uint8Array(files.get(sha256) ?? Buffer.alloc(0))], { type: content_type }),
      file_name,
    );
  const bodyOf = (fields: object, given: Any): object => {
    const form = new FormData();
    given.gallery.forEach((file: StoredFile, n: number) => void add(form, `gallery[${n}]`, file));
    given.attachments.forEach((file: StoredFile, n: number) => void add(form, `attachments[${n}]`, file));
    if (given.video) add(form, 'video', given.video);
    if (given.cover_image) add(form, 'cover_image', given.cover_image);
    if ([...form.keys()].length === 0) return fields;
    put(form, '', fields);
    return form;
  };
  const hang = async (path: string, { likes, comments }: Any) => {
    for (const { user, created_at } of likes)
      await client.call('POST', `${path}/likes`, { ...author(user), created_at });
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
      for (const like of likes)
        await client.call('POST', `${own}/likes`, { ...author(like.user), created_at: like.created_at });
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
  /** Its id. */
  const publish = async (family: string, given: Any, more: object): Promise<number> => {
    const { data } = await client.call('POST', `/v1/${family}`, bodyOf({ ...common(given), ...more }, given));
    await hang(`/v1/${family}/${data.id}`, given);
    return data.id;
  };
  await each(exported.updates, async (update) => {
    await publish('updates', update, { text: update.text, html: update.html });
  });
  await each(exported.kudos, async (kudos) => {
    const recipients = {
      users: kudos.recipients.users.map((email: string) => people.get(email)),
      teams: kudos.recipients.teams.map((name: string) => teams.get(name)),
    };
    await publish('kudos', kudos, { text: kudos.text, html: kudos.html, recipients });
  });
  await each(exported.articles, async (article) => {
    const { title, subtitle, html_content, slug, is_draft, published_at, archive_at, is_archived } = article;
    const moments = { ...(published_at ? { published_at } : {}), ...(archive_at ? { archive_at } : {}) };
    const id = await publish('articles', article, { title, subtitle, html_content, slug, is_draft, ...moments });
    if (is_archived) await client.call('DELETE', `/v1/articles/${id}`);
  });

  const folders = new Map<string, number>();
  for (const { path, description, space } of [...exported.folders].sort(
    (a, b) => a.path.split('/').length - b.path.split('/').length,
  )) {
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
      add(form, 'document', file);
      put(form, '', fields);
    }
    await client.call('POST', '/v1/documents', file ? form : fields);
  }
}
