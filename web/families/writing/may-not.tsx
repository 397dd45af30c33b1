import { t } from '../../kernel/words.ts';
import { Empty } from '../../ui/states.tsx';

/** In place of a form that this person could not send. */
export const MayNot = ({ title, isNew }: { title: string; isNew: boolean }) => (
  <>
    <h1>{title}</h1>
    <Empty icon="lock" title={t(isNew ? 'writing.may_not_new' : 'writing.may_not')} />
  </>
);
