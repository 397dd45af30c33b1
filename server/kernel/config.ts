// Every setting of a running Atrium, described once: the operators' guide is generated from this list.
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import * as forms from './setting-forms.ts';

interface Setting<T> {
  readonly variable: string;
  /** Another variable that is read when this one is not set. */
  readonly also?: string;
  readonly otherwise: T;
  readonly about: string;
  readonly read: (text: string) => T;
}

const text = (variable: string, otherwise: string, about: string): Setting<string> => ({
  variable,
  otherwise,
  about,
  read: (given) => given,
});
const optional = (variable: string, about: string): Setting<string | undefined> => ({
  variable,
  otherwise: undefined,
  about,
  read: (given) => given,
});
/** `isOne` says false or throws when a text is not what is `wanted`. */
const formed = <T extends string | undefined>(
  setting: Setting<T>,
  wanted: string,
  isOne: (text: string) => boolean,
): Setting<T> => ({
  ...setting,
  read(given) {
    let reason = '';
    try {
      if (isOne(given)) return given as T;
    } catch (error) {
      reason = ` (${(error as Error).message.replace(/\.$/, '')})`;
    }
    return wrong(setting.variable, wanted + reason);
  },
});
const oneOf = <const V extends string>(
  variable: string,
  values: readonly V[],
  otherwise: V,
  about: string,
): Setting<V> => ({
  variable,
  otherwise,
  about: `${about} One of ${values.join(', ')}.`,
  read: (given) => values.find((value) => value === given) ?? wrong(variable, `one of ${values.join(', ')}`),
});
const integer = (
  variable: string,
  otherwise: number,
  [least, most]: [number, number],
  about: string,
): Setting<number> => ({
  variable,
  otherwise,
  about,
  read: (given) =>
    /^\d+$/.test(given) && Number(given) >= least && Number(given) <= most
      ? Number(given)
      : wrong(variable, `an integer from ${least} to ${most}`),
});
const list = (
  variable: string,
  otherwise: readonly string[],
  entry: RegExp,
  about: string,
): Setting<readonly string[]> => ({
  variable,
  otherwise,
  about: `${about} Separated by commas.`,
  read: (given) => {
    const entries = given.split(',').map((text) => text.trim());
    return entries.every((text) => entry.test(text)) ? entries : wrong(variable, `entries like ${otherwise.join(',')}`);
  },
});
const NETWORK = /^(\d{1,3}(\.\d{1,3}){3}(\/\d{1,2})?|[\da-f:.]*:[\da-f:.]*(\/\d{1,3})?)$/i;
/** A number of proxies, or their networks. */
const proxies = (variable: string, about: string): Setting<number | readonly string[]> => ({
  variable,
  otherwise: 0,
  about,
  read(given) {
    if (/^(true|false|\d{1,2})$/.test(given)) return given === 'false' ? 0 : given === 'true' ? 1 : Number(given);
    const networks = given.split(',').map((text) => text.trim());
    const isNetwork = (text: string) => NETWORK.test(text) && isIP(text.split('/')[0] ?? '') !== 0;
    return networks.every(isNetwork)
      ? networks
      : wrong(variable, 'a number of proxies, or networks with commas between');
  },
});
const wrong = (variable: string, wanted: string): never => {
  throw new Error(`The setting ${variable} must be ${wanted}.`);
};

export const settings = {
  env: oneOf(
    'ATRIUM_ENV',
    ['development', 'production', 'test'],
    'development',
    'Development creates a demo organisation on first start and lets webhooks reach loopback.',
  ),
  host: { ...text('ATRIUM_HOST', '127.0.0.1', 'Address to listen on; without it HOST is read.'), also: 'HOST' },
  port: {
    ...integer(
      'ATRIUM_PORT',
      4000,
      [0, 65535],
      'Port to listen on, 0 lets the system choose; without it PORT is read.',
    ),
    also: 'PORT',
  },
  base_url: formed(
    optional(
      'ATRIUM_BASE_URL',
      'Address at which people and programs reach this installation, for example https://intranet.example.com. ' +
        'Organisations without a domain of their own live there, or at a name before it.',
    ),
    'an http or https address without a path, for example https://intranet.example.com',
    forms.isHttpUrl,
  ),
  data_dir: text('ATRIUM_DATA', './data', 'Folder for the embedded database and for files.'),
  database_url: formed(
    optional('DATABASE_URL', 'A PostgreSQL of version 15 or later, used instead of the embedded one.'),
    'an address like postgres://name:password@host:5432/database',
    forms.isUrl,
  ),
  embedded_port: integer(
    'ATRIUM_POSTGRES_PORT',
    5499,
    [1, 65535],
    'Port that the embedded PostgreSQL prefers; when it is taken, a free one is used.',
  ),
  connections: integer(
    'ATRIUM_DATABASE_CONNECTIONS',
    8,
    [2, 200],
    'Connections to the database that this process opens at most, beside two for point reads.',
  ),
  nats_url: formed(
    optional(
      'NATS_URL',
      'NATS servers that tell nodes about each other’s changes, with commas between; without it PostgreSQL does. ' +
        'The first may carry a name and password, or a token; tls:// asks for TLS.',
    ),
    'addresses like nats://host:4222',
    forms.areServers,
  ),
  brand: formed(
    text(
      'ATRIUM_BRAND',
      'Service',
      'Word in the names of the interface headers: <brand>-Id, x-<brand>-jwt. The Service names stay accepted.',
    ),
    'a word of Latin letters, digits and hyphens',
    forms.isHeaderWord,
  ),
  secret_key: formed(
    optional(
      'ATRIUM_SECRET_KEY',
      '32 bytes in base64 that seal secrets in the database. Without it a key is made in the data folder; ' +
        'nodes with folders of their own must share one.',
    ),
    '32 bytes in base64, for example from: openssl rand -base64 32',
    forms.isKey,
  ),
  egress_allow: formed(
    optional(
      'ATRIUM_EGRESS_ALLOW',
      'Address ranges that webhooks, bots and the like may reach beside the public internet, ' +
        'for example 10.1.0.0/16, fd00:1::/32.',
    ),
    'address ranges like 10.1.0.0/16, fd00:1::/32',
    forms.areRanges,
  ),
  egress_dns: formed(
    optional('ATRIUM_EGRESS_DNS', 'DNS servers that resolve their names; without it as the system does.'),
    'IP addresses, each with a port or without',
    forms.areResolvers,
  ),
  webhook_retry_seconds: formed(
    text(
      'ATRIUM_WEBHOOK_RETRY_SECONDS',
      '10,60,600,3600',
      'Seconds to the next attempt after the first, second, third and fourth, each ±20 %.',
    ),
    'up to four numbers of seconds like 10,60,600,3600',
    forms.areSeconds,
  ),
  webhook_days: integer('ATRIUM_WEBHOOK_DAYS', 30, [1, 3650], 'Deliveries and their log are kept for this many days.'),
  changes_days: integer(
    'ATRIUM_CHANGES_DAYS',
    30,
    [30, 3650],
    'GET /v1/changes tells for this many days what was deleted. Who was away for longer begins anew.',
  ),
  request_days: integer(
    'ATRIUM_REQUEST_DAYS',
    7,
    [0, 90],
    'What programs asked for is kept in the request log for this many days; 0: there is none.',
  ),
  audit_days: integer(
    'ATRIUM_AUDIT_DAYS',
    0,
    [0, 3650],
    'Entries of the audit log are kept for this many days, to the day; 0: for ever.',
  ),
  webhook_suspend_hours: integer(
    'ATRIUM_WEBHOOK_SUSPEND_HOURS',
    120,
    [1, 8760],
    'A subscription to which nothing could be delivered for this many hours is suspended.',
  ),
  egress_ca: formed(
    optional(
      'ATRIUM_EGRESS_CA',
      'File with certificates (PEM) of authorities that their TLS is trusted by, beside the well-known.',
    ),
    'a file with certificates in PEM',
    forms.isCertificateFile,
  ),
  trust_proxy: proxies(
    'ATRIUM_TRUST_PROXY',
    'Whose X-Forwarded-* headers are believed: how many proxies a request passes (1 for one), or the networks ' +
      'that they are in, for example 10.0.0.0/8,fd00::/8. 0: nobody’s.',
  ),
  log_level: oneOf(
    'ATRIUM_LOG',
    ['debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'How much is logged, as JSON lines on standard output.',
  ),
  metrics: oneOf('ATRIUM_METRICS', ['loopback', 'public', 'off'], 'loopback', 'Who may read /metrics.'),
  mcp: oneOf(
    'ATRIUM_MCP',
    ['off', 'on'],
    'off',
    'Whether assistants find tools at /mcp (Model Context Protocol), each within the credential that it is given.',
  ),
  body_bytes_max: integer(
    'ATRIUM_BODY_BYTES_MAX',
    5 * 1024 * 1024,
    [1024, 1024 ** 3],
    'Largest body, or text fields of a multipart body together, in bytes.',
  ),
  file_bytes_max: integer(
    'ATRIUM_FILE_BYTES_MAX',
    25 * 1024 * 1024,
    [1024, 1024 ** 4],
    'Largest uploaded file, in bytes.',
  ),
  files_max: integer('ATRIUM_FILES_MAX', 20, [1, 1000], 'Files in one request at most.'),
  asset_bytes_max: integer(
    'ATRIUM_ASSET_BYTES_MAX',
    5 * 1024 ** 3,
    [1024, 1024 ** 4],
    'Largest file that is uploaded by itself (POST /v1/assets/upload-url), in bytes. A bucket takes 5 GiB at most.',
  ),
  person_bytes_max: integer(
    'ATRIUM_PERSON_BYTES_MAX',
    100 * 1024 ** 3,
    [1024, 1024 ** 5],
    'Bytes of files that one person may keep; those that apps upload count for their organisation only.',
  ),
  organisation_bytes_max: integer(
    'ATRIUM_ORGANISATION_BYTES_MAX',
    10 * 1024 ** 4,
    [1024, 1024 ** 5],
    'Bytes of files that one organisation may keep.',
  ),
  pending_uploads_max: integer(
    'ATRIUM_PENDING_UPLOADS_MAX',
    1000,
    [1, 100_000],
    'Upload addresses that one person, or app, may have without having confirmed them.',
  ),
  pixels_max: integer(
    'ATRIUM_PIXELS_MAX',
    500_000_000,
    [1_000_000, 10_000_000_000],
    'Pixels that the pictures of one request may have together.',
  ),
  s3_bucket: optional('ATRIUM_S3_BUCKET', 'Bucket for files; without it they lie in the data folder.'),
  s3_endpoint: formed(
    optional('ATRIUM_S3_ENDPOINT', 'Address of the S3-compatible service; without it Amazon’s.'),
    'an http or https address without a path',
    forms.isHttpUrl,
  ),
  s3_region: text('ATRIUM_S3_REGION', 'us-east-1', 'Region of the bucket.'),
  s3_access_key_id: text('ATRIUM_S3_ACCESS_KEY_ID', '', 'Access key for the bucket.'),
  s3_secret_access_key: text('ATRIUM_S3_SECRET_ACCESS_KEY', '', 'Its secret.'),
  request_timeout_ms: integer(
    'ATRIUM_REQUEST_TIMEOUT_MS',
    120_000,
    [1000, 3_600_000],
    'A request must have arrived whole in this time, and a second more for each 64 KiB of its announced length.',
  ),
  upload_timeout_ms: integer(
    'ATRIUM_UPLOAD_TIMEOUT_MS',
    6 * 3_600_000,
    [1000, 24 * 3_600_000],
    'No request may take longer to arrive, whatever length it announced.',
  ),
  open_bodies_bytes_max: integer(
    'ATRIUM_OPEN_BODIES_BYTES_MAX',
    16 * 1024 * 1024,
    [64 * 1024, 1024 ** 3],
    'Bodies of requests without a credential (signing in) that are held at once, in bytes, at 16 KiB each. ' +
      'When there are more, the slowest are given up.',
  ),
  headers_timeout_ms: integer(
    'ATRIUM_HEADERS_TIMEOUT_MS',
    20_000,
    [1000, 600_000],
    'The head of a request must have arrived in this time.',
  ),
  scim_providers: list(
    'ATRIUM_SCIM_PROVIDERS',
    ['idp-a=email', 'idp-b=id', 'okta=id', 'azure=email'],
    /^[a-z0-9][a-z0-9-]{0,62}=(id|email)$/,
    'Identity providers with a SCIM base of their own, /<name>/v2/scim, and what each takes as a manager: ' +
      'name=id or name=email.',
  ),
  session_days: integer('ATRIUM_SESSION_DAYS', 14, [1, 365], 'A sign-in ends after this many days without use.'),
  session_days_max: integer(
    'ATRIUM_SESSION_DAYS_MAX',
    90,
    [1, 3650],
    'A sign-in ends after this many days, however much it is used.',
  ),
} as const;

export type Config = {
  readonly [K in keyof typeof settings]: (typeof settings)[K] extends Setting<infer T> ? T : never;
} & {
  readonly files_folder: string;
  readonly upload_folder: string;
};

type Env = Record<string, string | undefined>;
/** The variable that is set, of those that this setting is read from. */
const nameIn = (env: Env, { variable, also }: Setting<unknown>) => (also && !env[variable] ? also : variable);

/** Reads the environment; what is unreadable is one Error, whose message names every variable and what it must be. */
export function readConfig(env: Env): Config {
  const problems: string[] = [];
  const values = Object.entries<Setting<unknown>>(settings).map(([name, setting]) => {
    const variable = nameIn(env, setting);
    const given = env[variable] ?? '';
    try {
      return [name, given === '' ? setting.otherwise : setting.read(given)];
    } catch (error) {
      problems.push((error as Error).message.replace(setting.variable, variable));
      return [name, setting.otherwise];
    }
  });
  const config = Object.fromEntries(values);
  for (const needed of ['s3_access_key_id', 's3_secret_access_key'] as const)
    if (config.s3_bucket && !config[needed])
      problems.push(`The setting ${settings[needed].variable} must be given with ${settings.s3_bucket.variable}.`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  config.data_dir = resolve(config.data_dir);
  return {
    ...config,
    files_folder: resolve(config.data_dir, 'files'),
    upload_folder: resolve(config.data_dir, 'uploads'),
  };
}

/** Sentences about variables that look like settings and are none. */
export const settingsWarnings = (env: Env) =>
  forms.unknownSettings(
    env,
    Object.values(settings).map(({ variable }) => variable),
  );
