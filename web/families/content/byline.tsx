import { ago, day } from '../../kernel/format.ts';
import { Avatar } from '../../ui/avatar.tsx';

interface Author {
  id: number;
  name: string;
  avatar_url?: string;
  job_title?: string;
}
/** Who wrote it, and when. */
export const Byline = ({ author, at, note }: { author: Author; at: string; note?: string | undefined }) => (
  <div class="byline">
    {author.avatar_url && <Avatar src={author.avatar_url} />}
    <div>
      <a href={`/directory/people/${author.id}`}>{author.name}</a>
      <p>
        <time dateTime={at} title={day(at, { dateStyle: 'full', timeStyle: 'short' })}>
          {ago(at)}
        </time>
        {note && <span> · {note}</span>}
      </p>
    </div>
  </div>
);
