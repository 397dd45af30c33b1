// What everybody in the organisation may see now. Events say whether their content was public when they were written;
// what is sent later, to whom only public content may go, is asked again.
import type { Sql } from '../data/sql.ts';

/** SQL that selects the ids of public content among `ids` (a bigint[]). */
export type PublicNow = (ids: Sql) => Sql;
/**
 * By the resource's key in payloads. `always`: a resource that nothing but its event hides. What is not listed is
 * withheld.
 */
export type Visibility = Readonly<Record<string, PublicNow | 'always'>>;
