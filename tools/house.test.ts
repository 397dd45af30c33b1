import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as house from './house.ts';

const none = (findings: string[]) => assert.equal(findings.join('\n'), '');

test('a module imports only modules that stand below it in server/modules.ts', () => none(house.brokenFloors()));
test('every folder of modules is listed, and every table is declared by one of them', () => none(house.undeclared()));
test('SQL of a module writes only the tables of that module', () => none(house.foreignWrites()));
test('every operation of the API document is found by its name in the source', () => none(house.unsearchable()));
