// RFC 7644 3.4.2.2: filters and the paths of PATCH, read by one descent over the text.
//   or -> and -> not | ( ) | path operator value | path [ filter ]
// Operators, `and or not`, true, false and null are taken in any case. Beyond the grammar, `path[filter].sub operator value`
// is read, which identity providers send; it means that one and the same entry satisfies both.
import { storable } from './document.ts';
import { bad } from './errors.ts';

export type Operator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';
export type Value = string | number | boolean | null;
export interface Path {
  /** URN of the schema, without the final colon; undefined for the resource's own attributes. */
  readonly schema: string | undefined;
  readonly names: readonly string[];
}
export type Filter =
  | { readonly op: 'and' | 'or'; readonly filters: readonly Filter[] }
  | { readonly op: 'not'; readonly filter: Filter }
  | { readonly op: 'has'; readonly path: Path; readonly filter: Filter }
  | { readonly op: 'pr'; readonly path: Path }
  | { readonly op: Operator; readonly path: Path; readonly value: Value };

/** The path of a PATCH operation: `path`, `path[filter]` or `path[filter].sub`. */
export interface Target {
  readonly path: Path;
  readonly filter?: Filter;
  readonly sub?: string;
}

const FILTER_LENGTH_MAX = 8000;
const DEPTH_MAX = 30;
const OPERATORS = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']);
const TOKEN = /\s+|"(?:[^"\\]|\\.)*"|[()[\]]|[^\s()[\]"]+/gy;

class Reader {
  readonly tokens: string[];
  readonly wrong: (detail: string) => never;
  at = 0;
  depth = 0;

  constructor(text: string, wrong: (detail: string) => never) {
    this.wrong = wrong;
    if (text.length > FILTER_LENGTH_MAX) wrong(`It has more than ${FILTER_LENGTH_MAX} characters.`);
    const tokens = text.match(TOKEN) ?? [];
    if (tokens.join('').length !== text.length) wrong('It has an unfinished text.');
    this.tokens = tokens.filter((token) => token.trim() !== '');
  }
  get word() {
    return this.tokens[this.at]?.toLowerCase();
  }
  next() {
    return this.tokens[this.at++] ?? this.wrong('It ends too early.');
  }
  expect(token: string) {
    if (this.next() !== token) this.wrong(`A ${token} is missing.`);
  }
  end<T>(result: T): T {
    return this.at === this.tokens.length ? result : this.wrong(`"${this.tokens[this.at]}" is unexpected.`);
  }

  or(): Filter {
    if (++this.depth > DEPTH_MAX) this.wrong('It is nested too deeply.');
    const filters = [this.and()];
    while (this.word === 'or') {
      this.at++;
      filters.push(this.and());
    }
    this.depth--;
    return filters.length === 1 ? (filters[0] as Filter) : { op: 'or', filters };
  }
  and(): Filter {
    const filters = [this.term()];
    while (this.word === 'and') {
      this.at++;
      filters.push(this.term());
    }
    return filters.length === 1 ? (filters[0] as Filter) : { op: 'and', filters };
  }
  term(): Filter {
    if (this.word === 'not' && this.tokens[this.at + 1] === '(') {
      this.at++;
      return { op: 'not', filter: this.parenthesised() };
    }
    if (this.word === '(') return this.parenthesised();
    const path = this.path(this.next());
    if (this.word !== '[') return this.comparison(path);
    const filter = this.bracketed();
    const sub = this.tokens[this.at];
    if (!sub?.startsWith('.')) return { op: 'has', path, filter };
    this.at++;
    return { op: 'has', path, filter: { op: 'and', filters: [filter, this.comparison(this.path(sub.slice(1)))] } };
  }
  parenthesised(): Filter {
    this.expect('(');
    const filter = this.or();
    this.expect(')');
    return filter;
  }
  bracketed(): Filter {
    this.expect('[');
    const filter = this.or();
    this.expect(']');
    return filter;
  }
  comparison(path: Path): Filter {
    const op = this.next().toLowerCase();
    if (op === 'pr') return { op, path };
    if (!OPERATORS.has(op)) this.wrong(`"${op}" is no operator.`);
    return { op: op as Operator, path, value: this.value(this.next()) };
  }
  value(token: string): Value {
    if (/^(true|false|null)$/i.test(token)) return JSON.parse(token.toLowerCase());
    if (!/^("|-?\d)/.test(token)) this.wrong(`"${token}" is no value: texts stand in double quotes.`);
    const value = scalarOf(token);
    return value === undefined || !storable(String(value))
      ? this.wrong(`${token} is no value of JSON without null bytes.`)
      : value;
  }
  path(token: string): Path {
    const path = pathOf(token);
    return path.names.length <= 2 && path.names.every((name) => /^\$?[a-z_][\w-]*$/i.test(name))
      ? path
      : this.wrong(`"${token}" is no attribute.`);
  }
}

function scalarOf(token: string): Value | undefined {
  try {
    return JSON.parse(token) as Value;
  } catch {
    return undefined;
  }
}

/** `urn:…:User:name.familyName`: the URN ends at the last colon, and may have dots of its own. */
export function pathOf(text: string): Path {
  const end = /^urn:/i.test(text) ? text.lastIndexOf(':') : -1;
  return { schema: end < 0 ? undefined : text.slice(0, end), names: text.slice(end + 1).split('.') };
}

export function parseFilter(text: string): Filter {
  const reader = new Reader(text, (detail) => bad('invalidFilter', `The filter cannot be read. ${detail}`));
  return reader.end(reader.or());
}

export function parseTarget(text: string): Target {
  const reader = new Reader(text, (detail) =>
    bad('invalidPath', `The path "${text.slice(0, 200)}" cannot be read. ${detail}`),
  );
  const path = reader.path(reader.next());
  if (reader.word !== '[') return reader.end({ path });
  const filter = reader.bracketed();
  const sub = reader.tokens[reader.at];
  if (sub === undefined) return { path, filter };
  reader.at++;
  return reader.end(
    sub.startsWith('.') ? { path, filter, sub: sub.slice(1) } : reader.wrong(`"${sub}" is unexpected.`),
  );
}
