// Edits of the API document, and whether each is found, named and judged.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { readEntries, readEntry } from '../server/modules/changelog/entries.ts';
import { differences, unexplained, unknownNames } from './api-changes.ts';
import type { ApiDocument } from './api-facts.ts';

const text = readFileSync(new URL('../server/openapi.json', import.meta.url), 'utf8');
const read = () => JSON.parse(text) as ApiDocument;
// biome-ignore lint/suspicious/noExplicitAny: parts of every shape.
type Edit = (document: any) => void;
const goals = '/v1/goals';
const found = (edit: Edit) => {
  const edited = read();
  edit(edited);
  return differences(read(), edited);
};
const body = (document: { components: { schemas: Record<string, { properties: object; required: string[] }> } }) =>
  document.components.schemas.CreateGoalBody as never as { properties: Record<string, object>; required: string[] };

const edits: [name: string, operation: string, kind: string, isBreaking: boolean, edit: Edit][] = [
  ['an operation is gone', 'createGoal', 'removed', true, (d) => delete d.paths[goals].post],
  [
    'an operation is new',
    'createIdea',
    'added',
    false,
    (d) => {
      d.paths['/v1/ideas'] = { post: { ...d.paths[goals].post, operationId: 'createIdea' } };
    },
  ],
  [
    'an operation lies elsewhere',
    'createGoal',
    'changed',
    true,
    (d) => {
      d.paths['/v1/aims'] = { post: d.paths[goals].post };
      delete d.paths[goals].post;
    },
  ],
  ['another scope', 'createGoal', 'changed', true, (d) => (d.paths[goals].post['x-scope'] = 'goals.all.write')],
  ['deprecated', 'createGoal', 'deprecated', false, (d) => (d.paths[goals].post.deprecated = true)],
  ['a field to ask with', 'createGoal', 'changed', false, (d) => (body(d).properties.aim = { type: 'string' })],
  ['a field is needed', 'createGoal', 'changed', true, (d) => body(d).required.push('description')],
  ['a field is taken no more', 'createGoal', 'changed', true, (d) => delete body(d).properties.description],
  [
    'a text may be shorter only',
    'createGoal',
    'changed',
    true,
    (d) => Object.assign(body(d).properties.title as object, { maxLength: 10 }),
  ],
  [
    'a text may be longer',
    'createGoal',
    'changed',
    false,
    (d) => Object.assign(body(d).properties.title as object, { maxLength: 99_999 }),
  ],
  ['another type is wanted', 'createGoal', 'changed', true, (d) => (body(d).properties.title = { type: 'integer' })],
  [
    'something may be asked that has parts of its own',
    'createGoal',
    'changed',
    false,
    (d) => (body(d).properties.aim = { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] }),
  ],
  [
    'an answer has more',
    'getGoal',
    'changed',
    false,
    (d) => (d.components.schemas.Goal.properties.aim = { type: 'string' }),
  ],
  ['an answer has less', 'getGoal', 'changed', true, (d) => delete d.components.schemas.Goal.properties.title],
  [
    'an answer can be null',
    'getGoal',
    'changed',
    true,
    (d) => (d.components.schemas.Goal.properties.title = { type: ['string', 'null'] }),
  ],
  [
    'a value may not be asked for any more',
    'listArticles',
    'changed',
    true,
    (d) => (Object.values(d.components.parameters).find((one) => isState(one)) as State).schema.enum.pop(),
  ],
];
interface State {
  name: string;
  schema: { enum: string[] };
}
const isState = (one: unknown) => (one as State).name === 'state' && (one as State).schema.enum.includes('archived');

describe('between two documents', () => {
  for (const [name, operation, kind, isBreaking, edit] of edits)
    test(name, () => {
      const own = found(edit).filter((one) => one.operation === operation);
      assert.ok(own.length > 0, 'it is found');
      assert.deepEqual([own[0]?.kind, own.some((one) => one.isBreaking)], [kind, isBreaking], JSON.stringify(own));
    });
  test('nothing differs where only words do', () => {
    const words: Edit = (document) => {
      document.paths[goals].post.description = 'Other words.';
      document.components.schemas.Goal.properties.title.description = 'Other words.';
    };
    assert.deepEqual(found(words), []);
  });
});

describe('an entry', () => {
  const entry = (...head: string[]) =>
    readEntry('2026-11-22-x', `---\ntitle: X\ndate: 2026-11-22\n${head.join('\n')}\n---\nText.`);
  const gone = found((document) => delete document.paths[goals].post);
  test('must name what differs, and say what can break clients', () => {
    assert.match(unexplained(gone, [])[0] ?? '', /^createGoal .*no entry has it as removed/);
    assert.match(unexplained(gone, [entry('changed: createGoal')])[0] ?? '', /no entry has it as removed/);
    assert.match(unexplained(gone, [entry('removed: createGoal')])[0] ?? '', /can break clients/);
    assert.deepEqual(unexplained(gone, [entry('removed: create*', 'breaking: Use another one.')]), []);
  });
  test('that names no operation, or is not written as entries are, is named', () => {
    assert.match(unknownNames([entry('added: createNothing')], [read()])[0] ?? '', /names createNothing/);
    assert.throws(() => entry('sort: new'), /has a line that is no field/);
    assert.throws(() => readEntry('2026-11-23-x', '---\ntitle: X\ndate: 2026-11-22\n---\n'), /needs a date/);
    assert.throws(() => readEntry('x', 'Text.'), /must begin with its head/);
  });
  test('of the repository names operations, all of them', () => {
    assert.ok(readEntries().length > 20);
    assert.deepEqual(unknownNames(readEntries(), [read()]), []);
  });
});
