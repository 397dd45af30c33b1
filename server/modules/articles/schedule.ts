// What a request asks of an article's states: draft, scheduled, published, archived.
import { refuse, refuseInvalid } from '../../kernel/contract/errors.ts';

export interface Schedule {
  is_draft: boolean;
  publish_at: string | null;
  archive_at: string | null;
}
/** As it is stored; times in ISO 8601. */
export interface StoredSchedule extends Schedule {
  published_at: string | null;
}
export interface WantedSchedule {
  is_draft?: boolean | undefined;
  publish_at?: string | null | undefined;
  archive_at?: string | null | undefined;
  published_at?: string | null | undefined;
}

const isSame = (a: string | null, b: string | null) =>
  a === null || b === null ? a === b : Date.parse(a) === Date.parse(b);
const isAfter = (a: string, b: string) => Date.parse(a) > Date.parse(b);

/** The date to publish it with, if it is published now; undefined: this moment. */
export const publicationDate = (now: string, { published_at, publish_at }: WantedSchedule): string | undefined =>
  published_at ?? (publish_at && !isAfter(publish_at, now) ? publish_at : undefined);

export function scheduleOf(
  now: string,
  wanted: WantedSchedule,
  stored: StoredSchedule = { is_draft: false, publish_at: null, archive_at: null, published_at: null },
): Schedule {
  const { publish_at = stored.publish_at, archive_at = stored.archive_at } = wanted;
  const is_draft = wanted.is_draft ?? draftBy(wanted.publish_at, stored);
  if (stored.published_at !== null) {
    if (is_draft)
      refuse('article_published', 'What was published cannot become a draft again; archive it.', { path: 'is_draft' });
    if (!isSame(publish_at, stored.publish_at))
      refuse('article_published', 'It is published already; publish_at cannot change any more.', {
        path: 'publish_at',
      });
  }
  if (wanted.published_at && isAfter(wanted.published_at, now))
    refuseInvalid('published_at', 'must not be in the future; publish_at may be');
  const isScheduled = publish_at !== null && isAfter(publish_at, now);
  const begins =
    stored.published_at ?? (isScheduled ? publish_at : is_draft ? null : (publicationDate(now, wanted) ?? now));
  const isNew =
    !isSame(archive_at, stored.archive_at) || (stored.published_at === null && !isSame(begins, stored.publish_at));
  if (isNew && archive_at !== null && begins !== null && !isAfter(archive_at, begins))
    refuseInvalid('archive_at', 'must be after publish_at, and not in the past for what is published now');
  return { is_draft, publish_at, archive_at };
}

/** A new date schedules a draft; taking the date away makes it a draft again, for that must not publish anything. */
const draftBy = (publish_at: string | null | undefined, stored: StoredSchedule) => {
  if (publish_at === undefined || stored.published_at !== null || isSame(publish_at, stored.publish_at))
    return stored.is_draft;
  return publish_at === null;
};
