// Content is one family: pages, articles, updates, kudos and events are listed, read, written, translated, announced
// and deleted by the same statements. A family declares what is special to it:
// its columns, who sees and changes it, its events.
//
//   family.ts       what a family says of itself
//   access.ts       who sees and changes it, and where somebody may post
//   reach.ts        how far it reaches: what lists and totals are made of
//   shown.ts        how a row is shown, in a list, alone, and in an event
//   lists.ts        what a list holds for somebody
//   statements.ts   insert, replace, translate, announce, delete: one statement each
//   writing.ts      what a request to create, replace or delete does, step by step
import type { Tx } from '../../kernel/data/db.ts';
import type { Listing } from '../../kernel/data/listing.ts';
import type { Column } from '../../kernel/data/rows.ts';
import type { Sql } from '../../kernel/data/sql.ts';
import type { Event } from '../../kernel/delivery/outbox.ts';
import { extensionPoint } from '../../kernel/module.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import type { SpaceRole } from '../spaces/contract.ts';
import type { ContentNoun } from './contract.ts';

export interface ContentColumn extends Column {
  /** Words, which a translation has too. */
  readonly isTranslated?: boolean;
  /** HTML that may refer to assets: shown with signed addresses where a reader asks for them. */
  readonly hasReferences?: boolean;
  /** SQL on `t` for the reply, where that is not the column itself. */
  readonly shown?: string;
}
export const translated = (column: Column): ContentColumn => ({ ...column, isTranslated: true });
export const shownAs = (shown: string, column: Column): ContentColumn => ({ ...column, shown });

/** How content is read: at a moment, by somebody (an event is for nobody in particular), in a language. */
export interface Reading {
  now: string;
  actor?: Actor | undefined;
  language?: string | undefined;
  /** With signed addresses of the files that its HTML refers to. */
  sign_url?: boolean | undefined;
}

export interface ContentFamily {
  readonly noun: ContentNoun;
  /** The table; `<noun>_translations` and `<noun>_audiences` belong to it. */
  readonly name: string;
  /** What a request writes: a field that is added here is stored, replaced, translated and shown. */
  readonly columns: Readonly<Record<string, ContentColumn>>;
  readonly list: Listing;
  /** SQL on `t`: when what is posted reached its readers. Indexes and `<noun>_audiences.posted_at` have it. */
  readonly postedAt?: string;
  /** Further columns of the reply; `t` is the row. */
  readonly shown: (reading: Reading) => Sql;
  /** JSON of the record `r`, where that is not all of its columns. */
  readonly json?: Sql;
  /** Assignments of a replacement beside the columns; `w` is the row as it is wanted. */
  readonly replacing?: Sql;
  /** Assignments of every change. */
  readonly changing?: Sql;
  /** SQL on `t`: everybody in the organisation sees it now. */
  readonly isPublic: Sql;
  /** SQL on `t`: it may be announced. Omitted: always. */
  readonly isNews?: Sql;
  /** SQL on `t`: its one space, for events; null for none or several. */
  readonly space_id: Sql;
  readonly events: { readonly added: Event; readonly updated: Event; readonly deleted: Event };
  /** SQL: what its last event says, made of the whole `json` of `s`. Omitted: all of it. */
  readonly remains?: Sql;
  /** SQL on `t`. */
  readonly sees: (actor: Actor) => Sql;
  /** SQL on `t`, given that the actor sees it. */
  readonly edits: (actor: Actor) => Sql;
}

/** Content that is posted to an audience: everything but pages, each of which stands in one place. */
export interface PostedFamily extends ContentFamily {
  readonly noun: Exclude<ContentNoun, 'page'>;
  readonly postedAt: string;
  /** Who may change what others posted to their space, and post where `isOpenToAll` is not so. */
  readonly editors: readonly SpaceRole[];
  /** Everybody's voice, not editors' work. */
  readonly isOpenToAll: boolean;
}

export const contentFamilies = extensionPoint<ContentFamily>();
export const familyOf = (noun: ContentNoun): ContentFamily =>
  contentFamilies.all.find((family) => family.noun === noun) as ContentFamily;

/** SQL: columns `… as name` on the content `t`, of what it is to the person who reads it; undefined: none. */
export type ViewerColumns = (noun: ContentNoun, actor: Actor) => Sql | undefined;
export const viewerColumns = extensionPoint<ViewerColumns>();

/**
 * What goes with content that is deleted: comments, likes and the like. In its transaction, before or after the row.
 */
export const hangsOnContent = extensionPoint<(tx: Tx, noun: ContentNoun, ids: readonly number[]) => Promise<unknown>>();
