// JSON Schema as plain objects, typed by TypeBox. Only its types are used: loading its builders, some hundred small files,
// would be a fifth of the start.
import type { Type as TypeBox } from 'typebox';

type Options = Record<string, unknown>;
const optional = new WeakSet<object>();

const builders = {
  Null: () => ({ type: 'null' }),
  Boolean: (options?: Options) => ({ type: 'boolean', ...options }),
  Integer: (options?: Options) => ({ type: 'integer', ...options }),
  String: (options?: Options) => ({ type: 'string', ...options }),
  Array: (items: object, options?: Options) => ({ type: 'array', items, ...options }),
  Union: (anyOf: object[], options?: Options) => ({ anyOf, ...options }),
  Unsafe: (schema: object) => schema,
  Optional(schema: object) {
    const marked = { ...schema };
    optional.add(marked);
    return marked;
  },
  Object(properties: Record<string, object>, options?: Options) {
    const required = Object.keys(properties).filter((name) => !optional.has(properties[name] ?? {}));
    return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options };
  },
};

export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>;
