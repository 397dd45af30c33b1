import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';

interface Props {
  text: string;
  choose: (whose: 'own' | 'other') => void;
}
/** What was written on another device meanwhile, beside what is written here. */
export const OtherDraft = ({ text, choose }: Props) => (
  <section class="other-draft" aria-label={t('draft.other')}>
    <p role="status">{t('draft.other')}</p>
    <blockquote class="text" dir="auto">
      {text}
    </blockquote>
    <div class="counts">
      <Button onClick={() => choose('other')}>{t('draft.take')}</Button>
      <Button onClick={() => choose('own')}>{t('draft.keep')}</Button>
    </div>
  </section>
);
