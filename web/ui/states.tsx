// What a screen shows when it has nothing to show: it is loading, there is nothing, it failed, or it is gone.
import type { ComponentChildren } from 'preact';
import type { IconName } from '../icons.ts';
import type { Refusal } from '../kernel/call.ts';
import { t } from '../kernel/words.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import './states.css';

export const Loading = ({ lines = 3 }: { lines?: number }) => (
  <div class="skeleton" role="status" aria-label={t('state.loading')}>
    {Array.from({ length: lines }, (_, n) => (
      <span key={n} />
    ))}
  </div>
);

export const Empty = ({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) => (
  <div class="state">
    <Icon name={icon} />
    <p>{title}</p>
    {children}
  </div>
);

export const Failed = ({ refusal, again }: { refusal: Refusal; again: () => void }) => (
  <div class="state" role="alert">
    <Icon name="x" />
    <p>{refusal.status === 0 ? t('state.offline') : t('state.failed')}</p>
    {refusal.request_id && <p class="small">{t('state.request', { id: refusal.request_id })}</p>}
    <Button onClick={again}>{t('state.again')}</Button>
  </div>
);

/** The same words whether it never was there, is deleted, or is not for this person. */
export const Gone = () => (
  <>
    <h1>{t('state.gone')}</h1>
    <p>{t('state.gone_why')}</p>
    <p>
      <a href="/">{t('state.home')}</a>
    </p>
  </>
);
