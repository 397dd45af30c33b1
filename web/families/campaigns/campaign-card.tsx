import { day } from '../../kernel/format.ts';
import { t } from '../../kernel/words.ts';
import '../recognition/recognition.css';
import type { Campaign } from './data.ts';

/** From when until when, as far as that is said. */
export const Span = ({ campaign: { starts_at, ends_at, is_active } }: { campaign: Campaign }) => (
  <p class="quiet-line">
    {t(is_active ? 'campaign.active' : 'campaign.over')}
    {(starts_at || ends_at) && (
      <bdi>
        {' · '}
        {[starts_at, ends_at].map((at) => (at ? day(at) : '…')).join(' – ')}
      </bdi>
    )}
  </p>
);

export const CampaignCard = ({ campaign }: { campaign: Campaign }) => (
  <article class="card coloured" style={{ '--colour': campaign.colour ?? undefined }}>
    {campaign.image && <img src={campaign.image} alt="" loading="lazy" />}
    <h2>
      <a href={`/campaigns/${campaign.id}`}>
        <bdi>{campaign.title}</bdi>
      </a>
    </h2>
    <Span campaign={campaign} />
    {campaign.description && <p dir="auto">{campaign.description}</p>}
  </article>
);
