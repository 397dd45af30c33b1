import { Avatar } from '../../ui/avatar.tsx';

interface Props {
  person: { id: number; name: string; avatar_url: string; job_title: string };
  note?: string | undefined;
}
/** A person in a list. */
export const PersonLine = ({ person, note }: Props) => (
  <div class="byline">
    <Avatar src={person.avatar_url} />
    <div>
      <a href={`/directory/people/${person.id}`}>{person.name}</a>
      <p>{[person.job_title, note].filter(Boolean).join(' · ')}</p>
    </div>
  </div>
);
