// What others say of the API document: two linters, two generators of clients, and the compiler on what these make.
//   node tools/judges.ts      prints what they find, and fails when there is something
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';
import rulesets from '@stoplight/spectral-rulesets';
import { generateClient, generateTypes } from './clients.ts';

const root = join(import.meta.dirname, '..');
const path = join(root, 'server', 'openapi.json');
const text = readFileSync(path, 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'atrium-judges-'));

const off = (...rules: string[]) => Object.fromEntries(rules.map((rule) => [rule, 'off' as const]));
const notOfSpectral = {
  // Redocly checks the same examples, each once instead of wherever it is referred to: a minute less.
  ...off('oas3-valid-media-example'),
  // Ids are integers in the interface that existing clients use; row access, not guessing, protects them.
  ...off('owasp:api1:2023-no-numeric-ids'),
  // There is no limit of calls (interface, 8); where an operator sets one, 429 says when to come back.
  ...off('owasp:api4:2023-rate-limit', 'owasp:api4:2023-rate-limit-responses-429'),
  // These judge what replies carry like what requests may bring: those of input are in schema.test.ts.
  ...off('owasp:api4:2023-array-limit', 'owasp:api4:2023-integer-limit', 'owasp:api4:2023-integer-format'),
  ...off('owasp:api4:2023-string-limit', 'owasp:api4:2023-string-restricted'),
  // sign_url is a switch, channel_url an opaque name, url a filter: none is opened.
  ...off('owasp:api7:2023-concerning-url-parameter'),
  // Other origins are an organisation's setting, off by default; the header is not on every reply.
  ...off('owasp:api8:2023-define-cors-origin'),
  // 5XX declares both.
  ...off('owasp:api8:2023-define-error-responses-500'),
  // One document for every server that serves it.
  ...off('owasp:api9:2023-inventory-access', 'owasp:api9:2023-inventory-environment'),
};
/** `/v1/users/{id}/…` beside `/v1/users/by-external-id/{external_id}`: the interface has both, and ids are numbers. */
const notOfRedocly = off('no-ambiguous-paths');

async function spectralFindings(): Promise<string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [rulesets.oas as never, owasp as never], rules: notOfSpectral });
  const findings = await linter.run(JSON.parse(text));
  return findings.map(({ code, message, path: where }) => `spectral ${code} at ${where.join('/')}: ${message}`);
}

async function redoclyFindings(): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'], rules: notOfRedocly });
  const findings = await lintFromString({ source: text, config });
  return findings.map(({ ruleId, message, location }) => `redocly ${ruleId} at ${location[0]?.pointer}: ${message}`);
}

async function compilerFindings(): Promise<string[]> {
  await generateTypes(path, folder);
  await generateClient(path, join(folder, 'client'));
  const compilerOptions = {
    ...{ strict: true, noEmit: true, noUncheckedIndexedAccess: true, allowImportingTsExtensions: true },
    ...{ target: 'esnext', lib: ['esnext', 'dom', 'dom.iterable'], module: 'nodenext', types: [] },
  };
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  return status === 0 ? [] : stdout.trim().split('\n');
}

const findings = [...(await spectralFindings()), ...(await redoclyFindings()), ...(await compilerFindings())];
rmSync(folder, { recursive: true });
for (const finding of findings.slice(0, 30)) process.stdout.write(`${finding}\n`);
process.exit(findings.length === 0 ? 0 : 1);
