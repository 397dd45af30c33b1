import type { ErrorObject } from 'ajv';
import type { TSchema } from 'typebox';
import { ajv, pathOf } from '../kernel/contract/validate.ts';

/** For replies and emitted events: nothing coerced, nothing undeclared. Returns what is wrong. */
export function compileStrict(schema: TSchema): (value: unknown) => string[] {
  const validate = ajv.compile(closed(schema));
  const named = ({ instancePath, message, params }: ErrorObject) =>
    `${pathOf(instancePath)} ${message} ${JSON.stringify(params)}`;
  return (value) => (validate(value) ? [] : (validate.errors ?? []).map(named));
}

const closed = (schema: TSchema): object =>
  JSON.parse(
    JSON.stringify(schema, (_key, value) =>
      value?.type === 'object' && value.properties && value.additionalProperties === undefined
        ? { ...value, additionalProperties: false }
        : value,
    ),
  );
