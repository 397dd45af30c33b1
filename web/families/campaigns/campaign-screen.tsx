import { type Address, Thing } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import '../content/content.css';
import { Span } from './campaign-card.tsx';
import { type Campaign, readCampaign } from './data.ts';

const CampaignScreen = ({ id = '' }: Address) => (
  <Thing<Campaign> kind="campaigns" id={Number(id)} read={readCampaign} title={({ title }) => title}>
    {(campaign) => (
      <>
        <article class="card coloured" style={{ '--colour': campaign.colour ?? undefined }}>
          {campaign.image && <img src={campaign.image} alt="" />}
          <h1>
            <bdi>{campaign.title}</bdi>
          </h1>
          <Span campaign={campaign} />
          {campaign.description && (
            <p class="text" dir="auto">
              {campaign.description}
            </p>
          )}
        </article>
        <p>
          <a href="/campaigns">{t('campaign.all')}</a>
        </p>
      </>
    )}
  </Thing>
);
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default CampaignScreen;
