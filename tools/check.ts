// `npm run check`: the named checks that CI runs after the tests.
//   npm run check -- --record    keeps the sizes as they are now; from then on a larger one fails
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unexplainedChanges } from './api-changes.ts';
import * as house from './house.ts';

const root = join(import.meta.dirname, '..');
const node = process.execPath;
const programs: [name: string, command: string[]][] = [
  [
    'format, lint and import rules',
    [node, 'node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '--colors=off'],
  ],
  ['types', [node, 'node_modules/typescript/bin/tsc', '-p', '.']],
  ['linters and generators of clients accept openapi.json', [node, 'tools/judges.ts']],
  ['types of the pages', [node, 'node_modules/typescript/bin/tsc', '-p', 'web']],
  ['schema.sql, openapi.json and settings.md are what is generated', [node, 'tools/generate.ts', '--check']],
];
const rules: [name: string, findings: () => string[]][] = [
  ['a module uses only modules below it', house.brokenFloors],
  ['the drawing in ARCHITECTURE.md is the order of the modules', house.wrongDrawing],
  ['every module and every table is declared', house.undeclared],
  ['a module writes only its own tables', house.foreignWrites],
  ['every operation is found by its name', house.unsearchable],
  ['docs/api-changelog says what changed in the interface since its last release', unexplainedChanges],
  ['documents and comments name files that are there', house.wrongPaths],
  ['no line over 120 columns', house.longLines],
  ['no download address in the lockfile', registryHosts],
  ['no size is larger than it was recorded', grown],
];

let failed = 0;
for (const [name, [file = '', ...args]] of programs) {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd: root, encoding: 'utf8' });
  say(name, status === 0 ? [] : [`${stdout}${stderr}`]);
}
for (const [name, findings] of rules) say(name, findings());
const { server, kernel, median, p90, tests, large } = house.sizes();
process.stdout.write(
  `\nSize: server ${server} lines (kernel ${kernel}), tests ${tests}; file median ${median}, p90 ${p90}; ` +
    `pairs of places that repeat each other: ${house.repetitions() ?? 'not counted here'}\n`,
);
for (const file of large) process.stdout.write(`  over 400 lines: ${file}\n`);
process.exit(failed > 0 ? 1 : 0);

function say(name: string, findings: string[]) {
  process.stdout.write(`${findings.length === 0 ? 'ok    ' : 'FAILED'} ${name}\n`);
  const shown = findings.slice(0, 20).map((finding) => `       ${finding}\n`);
  process.stdout.write(shown.join(''));
  if (findings.length > 20) process.stdout.write(`       … and ${findings.length - 20} more\n`);
  if (findings.length > 0) failed++;
}

/** The lockfile must install from whatever registry npm is set up with. */
function registryHosts(): string[] {
  return readFileSync(join(root, 'package-lock.json'), 'utf8').match(/"resolved": *"https?:[^"]*"/g) ?? [];
}

function grown(): string[] {
  const file = join(root, 'tools', 'sizes.json');
  const recorded = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
  const { server, kernel, median, p90 } = house.sizes();
  const now: Record<string, number> = { server, kernel, median, p90, repetitions: house.repetitions() ?? 0 };
  if (process.argv.includes('--record')) {
    writeFileSync(file, `${JSON.stringify(now, null, 2)}\n`);
    return [];
  }
  return Object.entries(now)
    .filter(([name, value]) => value > (recorded[name] ?? Number.POSITIVE_INFINITY))
    .map(([name, value]) => `${name} is ${value}, and was ${recorded[name]}`);
}
