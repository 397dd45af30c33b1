import { PageTree } from './page-tree.tsx';

/** Of a space, or those that belong to none. */
export const PageList = ({ space_id }: { space_id?: number }) => <PageTree space_id={space_id ?? null} />;
