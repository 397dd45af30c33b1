import { type Address, Thing } from '../../kernel/screen.tsx';
import { t } from '../../kernel/words.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Feed } from '../../ui/feed.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty } from '../../ui/states.tsx';
import '../content/content.css';
import { ColleagueCard } from '../users/colleague-card.tsx';
import { type Colleague, teamMembers } from '../users/data.ts';
import { readTeam, type Team } from './data.ts';

const TeamScreen = ({ id = '' }: Address) => (
  <Thing<Team> kind="teams" id={Number(id)} read={readTeam} title={({ name }) => name}>
    {(team) => (
      <>
        <div class="head">
          <Avatar src={team.avatar_url} size="l" />
          <div>
            <h1>
              <bdi>{team.name}</bdi>
            </h1>
            <p class="counts">
              <span dir="auto">{team.team_type.name}</span>
              <span>{t('space.members', { n: team.member_count })}</span>
            </p>
          </div>
        </div>
        <p class="counts">
          <a href={`/kudos?team=${team.id}`}>
            <Icon name="award" />
            {t('recognition.wall')}
          </a>
        </p>
        <Feed<Colleague>
          list={teamMembers(team.id)}
          label={t('place.people')}
          empty={<Empty icon="users" title={t('space.nobody')} />}
        >
          {(person) => <ColleagueCard person={person} />}
        </Feed>
      </>
    )}
  </Thing>
);
// biome-ignore lint/style/noDefaultExport: a screen is loaded by itself.
export default TeamScreen;
