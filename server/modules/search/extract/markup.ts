import { Parser } from 'htmlparser2';
import { DEPTH_MAX } from './limits.ts';
import { Refusal, type Text } from './text.ts';

/** Names are without their prefix: which one stands for a namespace is the writer's choice. */
export interface Rules {
  /** Only what these contain is text; without it, everything. */
  holders?: ReadonlySet<string>;
  /** What stands in these is no text. */
  skipped: ReadonlySet<string>;
  /** These stand in lines of their own. */
  lines: ReadonlySet<string>;
  /** Elements that are a character. */
  character?: (name: string, attributes: Record<string, string>) => string | undefined;
  /** White space is as wide as one space, and line ends are those of `lines`. */
  isFlowing?: boolean;
}
export interface Markup {
  write(markup: string): void;
  end(): void;
}
type Handler = ConstructorParameters<typeof Parser>[0];

/** Entities that a document declares itself are not expanded, and nothing it names is fetched. */
export function parsed(handler: NonNullable<Handler>, isXml: boolean): Markup {
  let depth = 0;
  return new Parser(
    {
      ...handler,
      onopentag(name, attributes, isImplied) {
        if (++depth > DEPTH_MAX) throw new Refusal('broken');
        handler.onopentag?.(localName(name), attributes, isImplied);
      },
      onclosetag(name, isImplied) {
        depth--;
        handler.onclosetag?.(localName(name), isImplied);
      },
    },
    { xmlMode: isXml },
  );
}
const localName = (name: string) => name.slice(name.indexOf(':') + 1);

export function textFrom(text: Text, rules: Rules, isXml = true): Markup {
  const { holders, skipped, lines, character, isFlowing } = rules;
  let [held, hidden] = [0, 0];
  const isShown = () => hidden === 0 && (!holders || held > 0);
  return parsed(
    {
      onopentag(name, attributes) {
        if (holders?.has(name)) held++;
        if (skipped.has(name)) hidden++;
        if (hidden > 0) return;
        if (lines.has(name)) text.endLine();
        const found = character?.(name, attributes);
        if (found) text.add(found);
      },
      onclosetag(name) {
        if (holders?.has(name)) held--;
        if (hidden === 0 && lines.has(name)) text.endLine();
        if (skipped.has(name)) hidden--;
      },
      ontext(data) {
        if (!isShown()) return;
        if (isFlowing) text.addFlowing(data);
        else text.add(data);
      },
    },
    isXml,
  );
}
