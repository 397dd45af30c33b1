import { useRead, useTitle } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import '../content/content.css';
import { readGoals } from './data.ts';
import './recognition.css';

/** What the company holds dear. */
function GoalsScreen() {
  useTitle(t('recognition.values'));
  const { value: goals, failed, again } = useRead(readGoals, []);
  return (
    <>
      <h1>{t('recognition.values')}</h1>
      {failed && <Failed refusal={failed} again={again} />}
      {!goals && !failed && <Loading />}
      {goals?.length === 0 && <Empty icon="target" title={t('recognition.no_values')} />}
      {goals?.map((goal) => (
        <article key={goal.id} class="card coloured" style={{ '--colour': goal.colour ?? undefined }}>
          {goal.image && <img src={goal.image} alt="" loading="lazy" />}
          <h2>
            <a href={`/goals/${goal.id}`}>
              <bdi>{goal.title}</bdi>
            </a>
          </h2>
          {goal.description && <p dir="auto">{goal.description}</p>}
        </article>
      ))}
    </>
  );
}
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default GoalsScreen;
