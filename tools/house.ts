// What `npm run check` holds of the house: floors, tables, names, lines.
// Each finding is a sentence that says where and what.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { modules } from '../server/modules.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const filesOf = (patterns: string[]) => globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] }).sort();
const isTest = (file: string) => /\.test\.ts$|^server\/testing\//.test(file);
const source = filesOf(['server/**/*.ts', 'tools/*.ts', 'bench/**/*.ts', '{sdk,cli}/**/*.ts']);
const sourcesOfModules = source.filter((file) => file.startsWith('server/modules/') && !isTest(file));
const moduleOf = (file: string) => file.split('/')[2] ?? '';

/** A module imports only modules above it in THE list (server/modules.ts). */
export function brokenFloors(): string[] {
  const floor = new Map(modules.map(({ name }, n) => [name, n]));
  return sourcesOfModules.flatMap((file) => {
    const own = moduleOf(file);
    const used = [...read(file).matchAll(/from '\.\.\/(\w+)\/[\w-]+\.ts'/g)].map(([, name = '']) => name);
    return [...new Set(used)]
      .filter((name) => (floor.get(name) ?? -1) >= (floor.get(own) ?? -1))
      .map((name) => `${file} imports ${name}, which stands above ${own}`);
  });
}

/** Every folder is a module of the list, and every table belongs to the one that declares it. */
export function undeclared(): string[] {
  const folders = [...new Set(sourcesOfModules.map(moduleOf))];
  const names = new Set(modules.map(({ name }) => name));
  const declared = new Set(modules.flatMap(({ tables = [] }) => tables));
  const tables = [...read('server/schema.sql').matchAll(/^create table (\w+)/gim)].map(([, table = '']) => table);
  return [
    ...folders.filter((folder) => !names.has(folder)).map((folder) => `server/modules.ts does not list ${folder}`),
    ...tables
      .filter((table) => !declared.has(table) && !kernelTables.has(table))
      .map((table) => `no module.ts declares the table ${table}`),
  ];
}
const kernelTables = new Set([
  'change_floors',
  'change_notes',
  'deletions',
  'installation',
  'jobs',
  'list_blocks',
  'list_changes',
  'list_totals',
  'outbox',
  'schema_migrations',
]);

/** SQL of a module writes only its own tables. Names that are put in come from the family that owns them. */
export function foreignWrites(): string[] {
  const owner = new Map(modules.flatMap(({ name, tables = [] }) => tables.map((table) => [table, name] as const)));
  return sourcesOfModules.flatMap((file) =>
    [...read(file).matchAll(/\b(?:insert into|delete from|update) ([a-z][a-z_]+)\b(?! skip)/g)]
      .map(([, table = '']) => table)
      .filter((table) => owner.has(table) && owner.get(table) !== moduleOf(file))
      .map((table) => `${file} writes ${table}, which belongs to ${owner.get(table)}`),
  );
}

/** Operations of the API document whose names stand nowhere in the source. */
export function unsearchable(): string[] {
  const document = JSON.parse(read('server/openapi.json')) as {
    paths: Record<string, Record<string, { operationId?: string }>>;
  };
  const words = new Set(sourcesOfModules.flatMap((file) => read(file).match(/\w+/g) ?? []));
  return Object.values(document.paths)
    .flatMap((methods) => Object.values(methods).map(({ operationId = '' }) => operationId))
    .filter((name) => name !== '' && !words.has(name));
}

const COLUMNS_MAX = 120;
export const longLines = (): string[] =>
  [...source, ...filesOf(['web/**/*.{ts,tsx,css}'])].flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, n) => (line.length > COLUMNS_MAX ? [`${file}:${n + 1} has ${line.length} columns`] : [])),
  );

export interface Sizes {
  /** Lines of server/ without tests. */
  server: number;
  kernel: number;
  median: number;
  p90: number;
}
export function sizes(): Sizes & { tests: number; large: string[] } {
  const lines = (file: string) => read(file).split('\n').length - 1;
  const code = source.filter((file) => !isTest(file) && !/^(sdk|cli)\//.test(file));
  const sorted = code.map(lines).sort((a, b) => a - b);
  const total = (files: string[]) => files.reduce((sum, file) => sum + lines(file), 0);
  return {
    server: total(code.filter((file) => file.startsWith('server/'))),
    kernel: total(code.filter((file) => file.startsWith('server/kernel/'))),
    median: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    p90: sorted[Math.floor(sorted.length * 0.9)] ?? 0,
    tests: total(source.filter(isTest)),
    large: code.filter((file) => lines(file) > 400).map((file) => `${file} (${lines(file)})`),
  };
}

/** ARCHITECTURE.md draws the modules in their order, in a block that begins with this line. */
const DRAWING = '    the ground';
export function wrongDrawing(): string[] {
  const text = read('ARCHITECTURE.md');
  const block = text.slice(text.indexOf(DRAWING) + DRAWING.length).split('\n\n')[0] ?? '';
  const rows = block.split('\n').filter((row) => row.trim() !== '');
  // A row is a label, two spaces or more, and modules.
  const drawn = rows.flatMap((row) => row.trim().split(/ {2,}/).at(-1)?.split(' ') ?? []);
  const listed = modules.map(({ name }) => name);
  return listed.join(' ') === drawn.join(' ')
    ? []
    : [`ARCHITECTURE.md draws: ${drawn.join(' ')}`, `server/modules.ts lists: ${listed.join(' ')}`];
}

/** Pairs of places that share six or more lines, where the command that counts them is at hand. */
export function repetitions(): number | undefined {
  const { stdout, status } = spawnSync('duplicates', ['--most', '200', '--seconds', '60'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0 || !stdout) return undefined;
  const listed = stdout.split('\n').filter((row) => /^D\d+ /.test(row) && !row.includes('server/schema.sql')).length;
  const [, more = '0'] = /\(\+(\d+) more pairs\)/.exec(stdout) ?? [];
  return listed + Number(more);
}

/** Files that documents and comments name, and that are not there. */
export function wrongPaths(): string[] {
  const texts = [...filesOf(['*.md', 'docs/**/*.md', '{sdk,cli}/*.md', 'server/modules/*/README.md']), ...source];
  return texts.flatMap((file) => {
    const named = [
      ...read(file).matchAll(/(?<!web\/)\b(?:server\/)?((?:kernel|modules|testing|postgres|world)\/[\w/-]+\.ts)\b/g),
    ];
    return [...new Set(named.map(([, path = '']) => path))]
      .filter((path) => !path.includes('/x/') && !existsSync(join(root, 'server', path)) && !isImport(file, path))
      .map((path) => `${file} names server/${path}, which is not there`);
  });
}
/** An import's path is relative, and the compiler's business. */
const isImport = (file: string, path: string) =>
  file.endsWith('.ts') && new RegExp(`from '[./\\w-]*${path}'`).test(read(file));
