// `npm run check`: the named checks that CI runs after the tests. Prints the size report last.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const node = process.execPath;
const checks: [name: string, command: string[]][] = [
  [
    'format, lint and import rules',
    [node, 'node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '--colors=off'],
  ],
  ['types', [node, 'node_modules/typescript/bin/tsc', '-p', '.']],
  ['schema.sql, openapi.json and settings.md are what is generated', [node, 'tools/generate.ts', '--check']],
];

let failed = 0;
for (const [name, [file = '', ...args]] of checks) {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd: root, encoding: 'utf8' });
  process.stdout.write(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}\n`);
  if (status !== 0) {
    process.stdout.write(`${stdout}${stderr}\n`);
    failed++;
  }
}
failed += registryHosts();
sizeReport();
process.exit(failed > 0 ? 1 : 0);

/** The lockfile must install from whatever registry npm is set up with. */
function registryHosts(): number {
  const found = readFileSync(join(root, 'package-lock.json'), 'utf8').match(/"resolved": *"https?:[^"]*"/g) ?? [];
  process.stdout.write(`${found.length === 0 ? 'ok    ' : 'FAILED'} no download address in the lockfile\n`);
  return found.length === 0 ? 0 : 1;
}

function sizeReport() {
  const files = globSync(['server/**/*.ts', 'tools/*.ts', 'bench/**/*.ts'], {
    cwd: root,
    exclude: ['**/node_modules/**'],
  });
  const sizes = files.map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }));
  const total = (of: typeof sizes) => of.reduce((sum, { lines }) => sum + lines, 0);
  const isTest = (file: string) => /\.test\.ts$|^server\/testing\//.test(file);
  const code = sizes.filter(({ file }) => !isTest(file)).toSorted((a, b) => a.lines - b.lines);
  const at = (share: number) => code[Math.floor(code.length * share)]?.lines ?? 0;
  process.stdout.write(
    `\nSize: server ${total(code.filter(({ file }) => file.startsWith('server/')))} lines (kernel ${total(code.filter(({ file }) => file.startsWith('server/kernel/')))}), ` +
      `tests ${total(sizes.filter(({ file }) => isTest(file)))}; file median ${at(0.5)}, p90 ${at(0.9)}\n`,
  );
  for (const { file, lines } of code.filter((each) => each.lines > 400))
    process.stdout.write(`  over 400 lines: ${file} (${lines})\n`);
}
