// Reads a whole organisation, and says what it read in terms that do not depend on ids and addresses.
import { createHash } from 'node:crypto';
import { type Any, type Client, each } from './client.ts';

export interface StoredFile {
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
    count === 0
      ? []
      : (await client.all(`${path}/likes`)).map(({ user, created_at }) => ({ user: who(user), created_at }));
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
        replies:
          comment.comment_parent_id === null
            ? await commentsOf(`${path}/${comment.id}/replies`, comment.replies_count)
            : [],
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
      ({
        email,
        external_id,
        first_name,
        last_name,
        display_name,
        job_title,
        timezone,
        locale,
        hire_date,
        mobile_phone,
      }) => ({
        ...{
          email,
          external_id,
          first_name,
          last_name,
          display_name,
          job_title,
          timezone,
          locale,
          hire_date,
          mobile_phone,
        },
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
        members: (await client.all(`/v1/spaces/${id}/users`))
          .map(({ email, space_role }) => `${email} ${space_role}`)
          .sort(),
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
    folders: folders.map((folder) => ({
      path: pathOf(folder.id),
      description: folder.description,
      space: spaceName(folder.space_id),
    })),
    documents: await Promise.all(
      (await client.all('/v1/documents')).map(
        async ({ label, description, document, location_id, space_id, creator, created_at }) => ({
          ...{
            label,
            description,
            folder: pathOf(location_id),
            space: spaceName(space_id),
            creator: who(creator),
            created_at,
          },
          ...(document.asset_id === null ? { url: document.url } : { file: await fileOf(document) }),
        }),
      ),
    ),
  };
}
