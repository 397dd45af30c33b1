import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { say } from '../../ui/toast.tsx';

/** What is shown once, to be taken along. */
export const Secret = ({ value, hint }: { value: string; hint: string }) => (
  <div class="card" role="status">
    <p>{hint}</p>
    <p class="secret">
      <code dir="ltr">{value}</code>
      <Button
        icon="copy"
        onClick={() =>
          navigator.clipboard.writeText(value).then(
            () => say(t('settings.copied')),
            () => say(t('state.failed')),
          )
        }
      >
        {t('settings.copy')}
      </Button>
    </p>
  </div>
);
