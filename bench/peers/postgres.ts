// Peer (b): what an ordinary developer writes by hand: bare Fastify, `pg`, named prepared statements, the same tables
// and fields. It knows no credentials, scopes, validation, sanitising, events' audience, exact totals or log.
import multipart from '@fastify/multipart';
import Fastify from 'fastify';
import pg from 'pg';

const INT8 = 20;
pg.types.setTypeParser(INT8, Number);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.CONNECTIONS) });
const app = Fastify();
await app.register(multipart, { attachFieldsToBody: 'keyValues' });

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const integer = { type: 'integer' };
const flag = { type: 'boolean' };
const userFields = {
  ...{
    id: integer,
    external_id: textOrNull,
    email: text,
    name: text,
    first_name: text,
    last_name: text,
    display_name: textOrNull,
  },
  ...{
    avatar_url: text,
    job_title: text,
    timezone: textOrNull,
    locale: textOrNull,
    hire_date: textOrNull,
    manager_id: { type: ['integer', 'null'] },
  },
  ...{
    date_of_birth: textOrNull,
    mobile_phone: textOrNull,
    direct_dial: textOrNull,
    has_logged_in: flag,
    created_at: text,
    permalink: text,
  },
  ...{ is_frontline: flag, has_access: flag, is_active: flag, roles: { type: 'array', items: text }, updated_at: text },
};
const userReply = {
  type: 'object',
  properties: {
    data: { type: 'object', properties: userFields },
    status: text,
    meta: { type: 'object', properties: {} },
  },
};

const initials = (name: string) =>
  Buffer.from(
    name
      .split(' ')
      .map((word) => word[0])
      .join('')
      .slice(0, 2)
      .toUpperCase(),
  ).toString('hex');
const organisationOf = (headers: Record<string, unknown>) => Number(headers['service-id']);

app.get<{ Params: { external_id: string } }>(
  '/v1/users/by-external-id/:external_id',
  { schema: { response: { 200: userReply } } },
  async (request, reply) => {
    const { rows } = await pool.query({
      name: 'user by external id',
      text: `
        select u.id, u.external_id, u.email, u.name, u.first_name, u.last_name, u.display_name, u.photo_key,
          u.job_title, u.timezone, u.locale, u.hire_date::text, u.manager_id, u.date_of_birth::text, u.mobile_phone,
          u.direct_dial, u.has_logged_in, u.created_at, u.is_frontline, u.has_access, u.is_active, u.roles,
          u.updated_at, o.web_url
        from users u join organisations o on o.id = u.organisation_id
        where u.organisation_id = $1 and u.external_id = $2`,
      values: [organisationOf(request.headers), request.params.external_id],
    });
    const [row] = rows;
    if (!row) return reply.code(404).send();
    const { photo_key, web_url, ...user } = row;
    const picture = photo_key ? `photos/${photo_key}` : `initials/${initials(user.name)}.svg`;
    const avatar_url = `${web_url}/avatars/${picture}`;
    return {
      data: {
        ...user,
        avatar_url,
        permalink: `${web_url}/directory/people/${user.id}`,
        created_at: user.created_at.toISOString(),
        updated_at: user.updated_at.toISOString(),
      },
      status: 'success',
      meta: {},
    };
  },
);

const pageColumns = `
  t.id, t.external_id, up.external_id as external_parent_id, t.parent_id, t.space_id, t.title, t.subtitle,
  t.html_content, t.language, t.slug, t.page_edition, t.position, t.is_draft::int, t.is_standalone::int,
  t.is_sidebar_enabled::int, t.audience_type, t.created_at, t.updated_at, t.sequence, c.id as creator_id,
  c.name as creator_name, c.email as creator_email, c.job_title as creator_job_title, o.web_url`;
const pageSources = `
  join organisations o on o.id = t.organisation_id
  join users c on c.organisation_id = t.organisation_id and c.id = t.creator_id
  left join pages up on up.organisation_id = t.organisation_id and up.id = t.parent_id`;

function pageOf(row: Record<string, unknown>) {
  const { audience_type, creator_id, creator_name, creator_email, creator_job_title, web_url, ...page } = row;
  return {
    ...page,
    audience: { type: audience_type, spaces: [], teams: [] },
    creator: { id: creator_id, name: creator_name, email: creator_email, job_title: creator_job_title },
    permalink: `${web_url}/pages/${page.id}`,
  };
}

app.get<{ Querystring: { skip?: string; take?: string; total?: string } }>('/v1/pages', async (request) => {
  const organisation_id = organisationOf(request.headers);
  const skip = Number(request.query.skip ?? 0);
  const take = Number(request.query.take ?? 50);
  const listed = pool.query({
    name: 'pages',
    text: `
      select ${pageColumns} from pages t ${pageSources}
      where t.organisation_id = $1 and t.list_bucket = 0
      order by t.created_at desc, t.id desc limit $2 offset $3`,
    values: [organisation_id, take, skip],
  });
  const counted =
    request.query.total &&
    pool.query({
      name: 'count',
      text: 'select count(*) as total from pages where organisation_id = $1 and list_bucket = 0',
      values: [organisation_id],
    });
  const [{ rows }, count] = await Promise.all([listed, counted]);
  return {
    data: rows.map(pageOf),
    status: 'success',
    meta: { pagination: { skip, take, total_records: count ? count.rows[0].total : null } },
  };
});

app.post<{ Body: { title: string; html_content: string } }>('/v1/pages', async (request, reply) => {
  const organisation_id = organisationOf(request.headers);
  const { title, html_content } = request.body;
  const slug = title.toLowerCase().replaceAll(/\W+/g, '-');
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query({
      name: 'create page',
      text: `with t as (
          insert into pages (organisation_id, title, html_content, slug, creator_id, created_at, updated_at)
          values ($1, $2, $3, $4,
            (select service_user_id from apps where organisation_id = $1 order by id limit 1), now(), now())
          returning *)
        select ${pageColumns} from t ${pageSources}`,
      values: [organisation_id, title, html_content, slug],
    });
    const page = pageOf(rows[0]);
    await client.query({
      name: 'announce page',
      text: `
        insert into outbox (organisation_id, action, payload, is_public, space_id, created_at)
        values ($1, 'page.created', $2, true, null, now())`,
      values: [organisation_id, JSON.stringify({ page })],
    });
    await client.query('commit');
    return reply.code(201).send({ data: page, status: 'success', meta: {} });
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
});

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
