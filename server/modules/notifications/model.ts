// The rules of notifications once more, for the story: in memory, and as plainly as they can be said.
import { reasons } from './reasons.ts';

export type Level = 'none' | 'personal';
export interface Person {
  id: number;
  isActive: boolean;
  off: Set<string>;
  mutes: Map<string, Level>;
}
export interface Space {
  id: number;
  visibility: 'public' | 'private' | 'hidden';
  members: Set<Person>;
}
export interface Comment {
  id: number;
  content: Content;
  author: Person;
  parent: Comment | undefined;
  isGone: boolean;
}
export interface Content {
  type: 'update' | 'kudos';
  id: number;
  author: Person;
  /** None: for everybody. */
  spaces: Space[];
  version: number;
  isMustRead: boolean;
  confirmed: Set<Person>;
  thanked: Person[];
  mentioned: Set<Person>;
  comments: Comment[];
  isGone: boolean;
}
type Reason = keyof typeof reasons;
interface Why {
  reason: Reason;
  id: string;
  comment?: Comment | undefined;
}
interface Row {
  person: Person;
  topic: string;
  thing: Content | Space;
  whys: Why[];
  isRead: boolean;
}
const keyOf = (thing: Content | Space) => `${'type' in thing ? thing.type : 'space'} ${thing.id}`;

export class Model {
  readonly people: Person[] = [];
  readonly spaces: Space[] = [];
  readonly contents: Content[] = [];
  readonly rows = new Map<string, Row>();
  #waiting: (() => void)[] = [];
  #notices = 0;

  settle() {
    for (const tell of this.#waiting.splice(0)) tell();
  }

  sees(person: Person, { author, spaces }: Content) {
    const isOpen = spaces.length === 0 || spaces.some(({ visibility }) => visibility === 'public');
    return isOpen || author === person || spaces.some(({ members }) => members.has(person));
  }
  #knows = (person: Person, { visibility, members }: Space) => visibility !== 'hidden' || members.has(person);

  contentChanged(content: Content) {
    const { author, spaces, thanked } = content;
    this.#waiting.push(() => {
      if (content.isGone) return;
      const told = (to: Iterable<Person>, reason: Reason, id: string) => {
        for (const person of to) if (person !== author) this.#tell(person, content, { reason, id });
      };
      told(content.mentioned, 'mention', '');
      content.mentioned.clear();
      const audience = spaces.length === 0 ? this.people : new Set(spaces.flatMap(({ members }) => [...members]));
      const pending = [...audience].filter((person) => !content.confirmed.has(person));
      if (content.isMustRead) told(pending, 'must_read', String(content.version));
      told(thanked, 'kudos', '');
    });
  }

  said(comment: Comment, mentioned: readonly Person[], spaces: readonly Space[]) {
    const { content, author, parent, id } = comment;
    this.#waiting.push(() => {
      if (comment.isGone || content.isGone) return;
      const thread = content.comments.filter(
        (one) => parent && !one.isGone && (one === parent || one.parent === parent),
      );
      const first = new Map<Person, Reason>();
      const because = (reason: Reason, to: readonly Person[]) => {
        for (const person of to) if (!first.has(person)) first.set(person, reason);
      };
      because('mention', [...mentioned, ...spaces.flatMap(({ members }) => [...members])]);
      because(
        'reply',
        thread.map((one) => one.author),
      );
      because('comment', [content.author]);
      for (const [person, reason] of first)
        if (person !== author) this.#tell(person, content, { reason, id: String(id), comment });
    });
  }

  added(space: Space, people: readonly Person[]) {
    const id = `notice ${this.#notices++}`;
    this.#waiting.push(() => {
      for (const person of people) if (space.members.has(person)) this.#tell(person, space, { reason: 'added', id });
    });
  }

  /** One reason for each topic: the first of the story's order, in which mentions come before what else is said. */
  #tell(person: Person, thing: Content | Space, why: Why) {
    const { kind, topic, ...more } = reasons[why.reason];
    if (!person.isActive || person.off.has(kind)) return;
    if (!('isDuty' in more) && this.#isMuted(person, thing, 'isPersonal' in more)) return;
    if ('type' in thing ? !this.sees(person, thing) : !this.#knows(person, thing)) return;
    const key = `${person.id} ${topic} ${keyOf(thing)}`;
    const row = this.rows.get(key) ?? { person, topic, thing, whys: [], isRead: false };
    if (row.whys.some(({ reason, id }) => reason === why.reason && id === why.id)) return;
    this.rows.set(key, { ...row, whys: [why, ...row.whys].slice(0, 30), isRead: false });
  }
  #isMuted({ mutes }: Person, thing: Content | Space, isPersonal: boolean) {
    const isQuiet = (one: Content | Space) => {
      const level = mutes.get(keyOf(one));
      return level === 'none' || (level === 'personal' && !isPersonal);
    };
    if (!('type' in thing)) return false;
    return isQuiet(thing) || (thing.spaces.length > 0 && thing.spaces.every(isQuiet));
  }

  delete(content: Content) {
    content.isGone = true;
    for (const [key, { thing }] of this.rows) if (thing === content) this.rows.delete(key);
    for (const { mutes } of this.people) mutes.delete(keyOf(content));
  }
  read(person: Person, content: Content) {
    for (const row of this.rows.values()) if (row.person === person && row.thing === content) row.isRead = true;
  }

  /** What the person's list says, in any order. */
  listOf(person: Person): string[] {
    return [...this.rows.values()].flatMap((row) => {
      const { topic, thing, whys, isRead } = row;
      const isVisible = 'type' in thing ? this.sees(person, thing) : this.#knows(person, thing);
      const there = new Set(whys.filter(({ comment }) => !comment?.isGone).map(({ reason }) => reason));
      if (row.person !== person || !isVisible || there.size === 0) return [];
      return [`${keyOf(thing)} ${topic}: ${[...there].sort().join(', ')}${isRead ? ' (read)' : ''}`];
    });
  }
}
