// Updates and kudos, in a feed and alone.
import { Html } from '../../kernel/html.tsx';
import { t } from '../../kernel/words.ts';
import { Icon } from '../../ui/icon.tsx';
import { audienceWords } from '../content/audience.tsx';
import { Byline } from '../content/byline.tsx';
import { PollBox } from '../polls/poll-box.tsx';
import type { Kudos, Update } from './data.ts';

export const PostBody = ({ post }: { post: Update | Kudos }) => (
  <>
    <Byline author={post.creator} at={post.created_at} note={audienceWords(post.audience)} />
    {'recipients' in post && <Thanked kudos={post} />}
    <Html html={post.html} />
    {'poll' in post && post.poll && <PollBox update_id={post.id} poll={post.poll} />}
    {post.gallery.length > 0 && (
      <div class="gallery">
        {post.gallery.map(({ asset_id, url, thumbnail_url, file_name, width, height }) => (
          <a key={asset_id} href={url}>
            <img
              src={thumbnail_url ?? url}
              alt={file_name}
              width={width ?? undefined}
              height={height ?? undefined}
              loading="lazy"
            />
          </a>
        ))}
      </div>
    )}
    {post.attachments.length > 0 && (
      <ul class="rows">
        {post.attachments.map(({ asset_id, url, file_name }) => (
          <li key={asset_id}>
            <a class="line" href={url}>
              {file_name}
            </a>
          </li>
        ))}
      </ul>
    )}
  </>
);

const Thanked = ({ kudos: { recipients } }: { kudos: Kudos }) => {
  const names = [...recipients.users, ...recipients.teams].map(({ name }) => name);
  return (
    <p class="kind">
      <Icon name="award" />
      {t('kudos.to', { names: names.join(', ') })}
    </p>
  );
};
