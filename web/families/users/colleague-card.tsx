import { Avatar } from '../../ui/avatar.tsx';
import type { Colleague } from './data.ts';
import './users.css';

export const ColleagueCard = ({ person: { id, name, job_title, avatar_url, teams } }: { person: Colleague }) => (
  <article class="colleague">
    <Avatar src={avatar_url} />
    <div>
      <a href={`/directory/people/${id}`}>
        <bdi>{name}</bdi>
      </a>
      {job_title && (
        <p>
          <bdi>{job_title}</bdi>
        </p>
      )}
      {teams.length > 0 && <p class="teams">{teams.map((team) => team.name).join(', ')}</p>}
    </div>
  </article>
);
