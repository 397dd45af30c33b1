import { type Address, Thing } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import '../content/content.css';
import { type Goal, readGoal } from './data.ts';
import { KudosList } from './kudos-list.tsx';
import './recognition.css';

const GoalScreen = ({ id = '' }: Address) => (
  <Thing<Goal> kind="goals" id={Number(id)} read={readGoal} title={({ title }) => title}>
    {(goal) => (
      <>
        <h1>
          <bdi>{goal.title}</bdi>
        </h1>
        {goal.description && <p dir="auto">{goal.description}</p>}
        <section class="part">
          <h2>{t('recognition.for_value')}</h2>
          <KudosList wanted={{ goal_id: goal.id }} />
        </section>
      </>
    )}
  </Thing>
);
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default GoalScreen;
