import { useRead, useTitle } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import '../content/content.css';
import { CampaignCard } from './campaign-card.tsx';
import { readCampaigns } from './data.ts';

/** Those that go on now first. */
function CampaignsScreen() {
  useTitle(t('campaign.all'));
  const { value: campaigns, failed, again } = useRead(readCampaigns, []);
  return (
    <>
      <h1>{t('campaign.all')}</h1>
      {failed && <Failed refusal={failed} again={again} />}
      {!campaigns && !failed && <Loading />}
      {campaigns?.length === 0 && <Empty icon="flag" title={t('campaign.none')} />}
      {campaigns
        ?.toSorted((a, b) => Number(b.is_active) - Number(a.is_active))
        .map((campaign) => (
          <CampaignCard key={campaign.id} campaign={campaign} />
        ))}
    </>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default CampaignsScreen;
