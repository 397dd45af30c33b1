// RFC 7644 3.4.2.2 and figure 7: filters and the paths of PATCH, read by one descent over the text.
//   or -> and -> not | ( ) | attribute path, operator, value | value path: attribute path [ filter ]
// Words are taken in any case. Beyond the grammar `path[filter].sub operator value` is read, which identity providers
// send; it means that one and the same entry satisfies both.
import { type AttributePath, attributePath } from './attributes.ts';
import { storable } from './document.ts';
import { refuse } from './errors.ts';

const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Operator = (typeof OPERATORS)[number];
export type Value = string | number | boolean | null;
type At = { readonly path: AttributePath };
export type Comparison = At & ({ readonly op: 'pr' } | { readonly op: Operator; readonly value: Value });
export type ValuePath = At & { readonly op: 'valuePath'; readonly filter: Filter };
export type Filter =
  | { readonly op: 'and'; readonly filters: readonly Filter[] }
  | { readonly op: 'or'; readonly filters: readonly Filter[] }
  | { readonly op: 'not'; readonly filter: Filter }
  | ValuePath
  | Comparison;
/** What a PATCH operation is about: `path`, `path.sub`, `path[filter]` or `path[filter].sub`. */
export type Target = At & { readonly filter: Filter | undefined; readonly sub: string | undefined };

const FILTER_LENGTH_MAX = 8000;
const DEPTH_MAX = 30;
const TOKEN = /\s+|"(?:[^"\\]|\\.)*"|[()[\]]|[^\s()[\]"]+/gy;

function readerOf(text: string, wrong: (detail: string) => never) {
  if (text.length > FILTER_LENGTH_MAX) wrong(`It has more than ${FILTER_LENGTH_MAX} characters.`);
  const all = text.match(TOKEN) ?? [];
  if (all.join('').length !== text.length) wrong('It has an unfinished text.');
  const tokens = all.filter((token) => token.trim() !== '');
  let at = 0;
  let depth = 0;

  const next = () => tokens[at++] ?? wrong('It ends too early.');
  const takes = (word: string) => tokens[at]?.toLowerCase() === word && ++at > 0;
  const end = <T>(result: T): T => (at === tokens.length ? result : wrong(`"${tokens[at]}" is unexpected.`));

  function filter(): Filter {
    if (++depth > DEPTH_MAX) wrong('It is nested too deeply.');
    const found = joined('or', () => joined('and', term));
    depth--;
    return found;
  }
  function joined(op: 'and' | 'or', part: () => Filter): Filter {
    const first = part();
    const filters = [first];
    while (takes(op)) filters.push(part());
    return filters.length === 1 ? first : { op, filters };
  }
  function enclosed(close: ')' | ']'): Filter {
    const found = filter();
    return next() === close ? found : wrong(`A ${close} is missing.`);
  }
  function term(): Filter {
    if (takes('(')) return enclosed(')');
    if (tokens[at + 1] === '(' && takes('not') && takes('(')) return { op: 'not', filter: enclosed(')') };
    const found = path(next());
    if (!takes('[')) return comparison(found);
    const entry = enclosed(']');
    const sub = subAttribute();
    if (sub === undefined) return { op: 'valuePath', path: found, filter: entry };
    return { op: 'valuePath', path: found, filter: { op: 'and', filters: [entry, comparison(path(sub))] } };
  }
  const subAttribute = () => (tokens[at]?.startsWith('.') ? tokens[at++]?.slice(1) : undefined);
  function comparison(of: AttributePath): Comparison {
    const word = next().toLowerCase();
    if (word === 'pr') return { op: word, path: of };
    const op = OPERATORS.find((each) => each === word) ?? wrong(`"${word}" is no operator.`);
    return { op, path: of, value: value(next()) };
  }
  function value(token: string): Value {
    if (/^(true|false|null)$/i.test(token)) return JSON.parse(token.toLowerCase());
    if (!/^("|-?\d)/.test(token)) wrong(`"${token}" is no value: texts stand in double quotes.`);
    try {
      const found = JSON.parse(token) as Value;
      if (storable(String(found))) return found;
    } catch {
      // Refused below.
    }
    return wrong(`${token} is no value of JSON without null bytes.`);
  }
  function path(token: string): AttributePath {
    const found = attributePath(token);
    const isPath = found.names.length <= 2 && found.names.every((name) => /^\$?[a-z_][\w-]*$/i.test(name));
    return isPath ? found : wrong(`"${token}" is no attribute.`);
  }
  return {
    filter: () => end(filter()),
    target(): Target {
      const found = path(next());
      const entry = takes('[') ? enclosed(']') : undefined;
      return end({ path: found, filter: entry, sub: (entry && subAttribute()) ?? found.names[1] });
    },
  };
}

export const parseFilter = (text: string): Filter =>
  readerOf(text, (detail) => refuse('invalidFilter', `The filter cannot be read. ${detail}`)).filter();
export const parseTarget = (text: string): Target => {
  const what = `The path "${text.slice(0, 200)}" cannot be read.`;
  return readerOf(text, (detail) => refuse('invalidPath', `${what} ${detail}`)).target();
};
