// Why somebody is told. A row of the ledger is about one thing and one topic, and holds all its reasons.
import type { Kind, Reason, Topic } from './contract.ts';

interface Told {
  readonly kind: Kind;
  readonly topic: Topic;
  /** Also where the thing or its space is muted to what is personal. */
  readonly isPersonal?: true;
  /** Whatever is muted: somebody waits for it. */
  readonly isDuty?: true;
}
/** In the order in which the first one stands for the others, where one thing that happened gives several. */
export const reasons = {
  mention: { kind: 'mention', topic: 'conversation', isPersonal: true },
  reply: { kind: 'reply', topic: 'conversation', isPersonal: true },
  comment: { kind: 'comment', topic: 'conversation' },
  kudos: { kind: 'kudos', topic: 'kudos', isPersonal: true },
  badge: { kind: 'badge', topic: 'badge', isPersonal: true },
  must_read: { kind: 'must_read', topic: 'must_read', isDuty: true },
  cancelled: { kind: 'event', topic: 'event', isPersonal: true },
  changed: { kind: 'event', topic: 'event', isPersonal: true },
  invited: { kind: 'event', topic: 'event' },
  approval_asked: { kind: 'approval', topic: 'approval', isDuty: true },
  approved: { kind: 'approval', topic: 'approval', isDuty: true },
  rejected: { kind: 'approval', topic: 'approval', isDuty: true },
  added: { kind: 'space', topic: 'space', isDuty: true },
  role_given: { kind: 'space', topic: 'space', isDuty: true },
} as const satisfies Record<Reason, Told>;

/** `{who}`: up to three names, and how many others. */
export const words: Readonly<Record<'en' | 'de' | 'ar', Readonly<Record<Reason, string>>>> = {
  en: {
    mention: 'Mentioned by {who}',
    reply: 'Reply from {who}',
    comment: 'Comment from {who}',
    kudos: 'Kudos from {who}',
    badge: 'You received a badge',
    must_read: 'Please confirm that you have read it',
    cancelled: 'An event that you answered is cancelled',
    changed: 'An event that you answered has changed',
    invited: 'You are invited by {who}',
    approval_asked: 'Waits for your approval: a post by {who}',
    approved: 'Your post was approved by {who}',
    rejected: 'Your post was rejected by {who}',
    added: 'You were added to the space by {who}',
    role_given: 'You were given a role in the space by {who}',
  },
  de: {
    mention: 'Erwähnt von {who}',
    reply: 'Antwort von {who}',
    comment: 'Kommentar von {who}',
    kudos: 'Dank von {who}',
    badge: 'Sie haben eine Auszeichnung erhalten',
    must_read: 'Bitte bestätigen Sie, dass Sie es gelesen haben',
    cancelled: 'Ein Termin, auf den Sie geantwortet haben, fällt aus',
    changed: 'Ein Termin, auf den Sie geantwortet haben, hat sich geändert',
    invited: 'Sie sind eingeladen von {who}',
    approval_asked: 'Wartet auf Ihre Freigabe: ein Beitrag von {who}',
    approved: 'Ihr Beitrag wurde freigegeben von {who}',
    rejected: 'Ihr Beitrag wurde abgelehnt von {who}',
    added: 'Sie wurden in den Raum aufgenommen von {who}',
    role_given: 'Sie haben eine Rolle im Raum erhalten von {who}',
  },
  ar: {
    mention: 'إشارة إليك من {who}',
    reply: 'ردّ من {who}',
    comment: 'تعليق من {who}',
    kudos: 'شكر من {who}',
    badge: 'حصلت على شارة',
    must_read: 'يُرجى تأكيد أنك قرأته',
    cancelled: 'أُلغيت فعالية كنت قد أجبت عن دعوتها',
    changed: 'تغيّرت فعالية كنت قد أجبت عن دعوتها',
    invited: 'دعوة إليك من {who}',
    approval_asked: 'بانتظار موافقتك: منشور من {who}',
    approved: 'تمت الموافقة على منشورك من {who}',
    rejected: 'رُفض منشورك من {who}',
    added: 'أُضفت إلى المساحة من {who}',
    role_given: 'مُنحت دورًا في المساحة من {who}',
  },
};
