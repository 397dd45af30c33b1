// What everybody in the organisation may see now. Events say whether their content was public when they were written;
// what is sent later, to whom only public content may go, is asked again.
import type { Sql } from '../data/sql.ts';
import type { Actor } from '../people/auth.ts';

/** SQL that selects the `id` of content among `ids` (a bigint[]): what is public, or what the reader sees. */
export type PublicNow = (ids: Sql, reader?: Actor) => Sql;
/**
 * By the resource's key in payloads. `always`: a resource that nothing but its event hides. What is not listed is
 * withheld.
 */
export type Visibility = Readonly<Record<string, PublicNow | 'always'>>;
