import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig, settings, settingsWarnings } from './config.ts';

const refusal = (env: Record<string, string>) => {
  try {
    readConfig(env);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

test('a value that no setting can have stops the start, and names its variable', () => {
  const wrong: Record<string, string[]> = {
    ATRIUM_ENV: ['prod'],
    ATRIUM_PORT: ['http', '70000'],
    PORT: ['http'],
    ATRIUM_BASE_URL: ['intranet.example.com', 'ftp://intranet.example.com', 'https://intranet.example.com/atrium'],
    DATABASE_URL: ['localhost'],
    NATS_URL: ['nats://'],
    ATRIUM_BRAND: ['Our company', 'Ünser'],
    ATRIUM_SECRET_KEY: ['secret', Buffer.alloc(31).toString('base64')],
    ATRIUM_EGRESS_ALLOW: ['10.0.0.0/99', 'everything'],
    ATRIUM_EGRESS_DNS: ['dns.example.com'],
    ATRIUM_EGRESS_CA: ['/nowhere/ca.pem', import.meta.filename],
    ATRIUM_WEBHOOK_RETRY_SECONDS: ['soon', '10,', '-1'],
    ATRIUM_S3_ENDPOINT: ['s3.example.com'],
    ATRIUM_TRUST_PROXY: ['nginx', '10.0.0.0/8,all', '-1', '999.1.1.1'],
    ATRIUM_SCIM_PROVIDERS: ['okta'],
    ATRIUM_FILE_BYTES_MAX: ['25 MB'],
  };
  for (const [variable, values] of Object.entries(wrong))
    for (const value of values)
      assert.match(
        refusal({ [variable]: value }),
        new RegExp(`^The setting ${variable} must be `),
        `${variable}=${value}`,
      );
  const two = refusal({ ATRIUM_PORT: 'x', ATRIUM_S3_BUCKET: 'files' });
  for (const variable of ['ATRIUM_PORT', 'ATRIUM_S3_ACCESS_KEY_ID', 'ATRIUM_S3_SECRET_ACCESS_KEY'])
    assert.ok(two.includes(variable), two);
});

test('every default is one that can be set, and values as guides show them are taken', () => {
  for (const { variable, otherwise } of Object.values(settings))
    if (otherwise !== undefined && otherwise !== '')
      assert.equal(refusal({ [variable]: `${otherwise}` }), '', variable);
  const taken = {
    ATRIUM_EGRESS_ALLOW: '10.1.0.0/16, fd00:1::/32',
    ATRIUM_EGRESS_DNS: '127.0.0.1:5353, 9.9.9.9 [2620:fe::9]:53 2620:fe::9',
    NATS_URL: 'nats://atrium:p%20w@one:4222,two:4222',
    ATRIUM_TRUST_PROXY: '10.0.0.0/8, fd00::/8, 192.0.2.1',
    ATRIUM_BASE_URL: 'https://intranet.example.com/',
    DATABASE_URL: 'postgres://atrium@db.example.com/atrium?sslmode=require',
    ATRIUM_SECRET_KEY: Buffer.alloc(32).toString('base64'),
  };
  assert.equal(refusal(taken), '');
});

test('HOST and PORT count where Atrium’s own variables are not set', () => {
  const platform = { HOST: '0.0.0.0', PORT: '8080' };
  const { host, port } = readConfig({ ...platform, ATRIUM_PORT: '' });
  assert.deepEqual([host, port], ['0.0.0.0', 8080]);
  assert.equal(readConfig({ ...platform, ATRIUM_PORT: '4001' }).port, 4001);
});

test('a variable that only looks like a setting is named, with the one that is meant', () => {
  const sentences = settingsWarnings({ ATRIUM_PROT: '1', ATRIUM_SOMETHING_ELSE: '1', ATRIUM_PORT: '1', PATH: '/' });
  assert.equal(sentences.length, 2);
  assert.match(sentences[0] ?? '', /^ATRIUM_PROT is not a setting .* Is ATRIUM_PORT meant\?$/);
  assert.match(sentences[1] ?? '', /^ATRIUM_SOMETHING_ELSE is not a setting [^?]+$/);
});
