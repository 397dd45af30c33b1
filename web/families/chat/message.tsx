import { ago, day } from '../../kernel/format.ts';
import { me } from '../../kernel/session.ts';
import { t, type Word } from '../../kernel/words.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Mentioning } from '../mentions/text.tsx';
import { authorOf } from './channel-line.tsx';
import type { Message } from './data.ts';
import { type Draft, discard, outbox, send, sendAgain } from './outbox.ts';

const Text = (said: { text: string; mentions?: Message['mentions'] }) =>
  said.text ? (
    <p class="text" dir="auto">
      <Mentioning {...said} />
    </p>
  ) : null;

export function OneMessage({ message, isLast }: { message: Message; isLast: boolean }) {
  const { message_id, type, text, user, files, is_edited, created_at, data, channel_url, mentions } = message;
  const at = (
    <time dateTime={created_at} title={day(created_at, { dateStyle: 'full', timeStyle: 'short' })}>
      {ago(created_at)}
    </time>
  );
  if (type === 'ADMM')
    return (
      <li class="note">
        {text} · {at}
      </li>
    );
  const press = (button: { label: string; message?: string }, card?: number) => () =>
    send(channel_url, button.message ?? '', [], {
      pressed: { message_id, label: button.label, ...(card === undefined ? {} : { card }) },
    });
  // A button that was pressed is not pressed again while the answer is under way.
  const isPressed = outbox.value.some(({ pressed }) => pressed?.message_id === message_id);
  return (
    <li class={user?.id === me().id ? 'message mine' : 'message'}>
      {user ? (
        <Avatar src={user.avatar_url} size="s" />
      ) : (
        <span class="chat-picture s">
          <Icon name="bot" />
        </span>
      )}
      <div class="bubble">
        <p class="quiet-line">
          <bdi>{authorOf(message)}</bdi> · {at}
          {is_edited && ` · ${t('chat.edited')}`}
        </p>
        <Text text={text} mentions={mentions} />
        <Files files={files} />
        {data?.cards?.map((card, n) => (
          <BotCard key={n} card={card} isBusy={isPressed} press={(button) => press(button, n)} />
        ))}
        {isLast && data?.replies && (
          <fieldset class="replies">
            <legend class="heard">{t('chat.replies')}</legend>
            {data.replies.map((reply) => (
              <Button key={reply.label} disabled={isPressed} onClick={press(reply)}>
                {reply.label}
              </Button>
            ))}
          </fieldset>
        )}
      </div>
    </li>
  );
}

type Card = NonNullable<NonNullable<Message['data']>['cards']>[number];
type CardButton = NonNullable<Card['buttons']>[number];
interface CardProps {
  card: Card;
  isBusy: boolean;
  press: (button: { label: string; message?: string }) => () => void;
}
/** Pictures of other hosts are not loaded: the page's policy allows none, and they would tell who looked. */
const isOwn = (url: string) => URL.parse(url)?.origin === location.origin;
const BotCard = ({ card: { cardTitle, cardDescription, cardImage, buttons = [] }, isBusy, press }: CardProps) => (
  <div class="card">
    {cardImage && isOwn(cardImage) && <img src={cardImage} alt="" loading="lazy" />}
    {cardTitle && <strong dir="auto">{cardTitle}</strong>}
    {cardDescription && <Text text={cardDescription} />}
    {buttons.length > 0 && (
      <div class="replies">
        {buttons.map((button) =>
          button.link ? (
            <a key={button.label} class="button plain" href={button.link} target="_blank" rel="noopener noreferrer">
              {button.label}
            </a>
          ) : (
            <Button key={button.label} disabled={isBusy} onClick={press(button as CardButton & { message: string })}>
              {button.label}
            </Button>
          ),
        )}
      </div>
    )}
  </div>
);

const Files = ({ files }: { files: Message['files'] }) => (
  <>
    {files.map(({ asset_id, url, thumbnail_url, file_name, width, height }) => (
      <a key={asset_id} class="file" href={url}>
        {thumbnail_url ? (
          <img src={thumbnail_url} alt={file_name} width={width ?? 320} height={height ?? 240} loading="lazy" />
        ) : (
          <>
            <Icon name="paperclip" />
            {file_name}
          </>
        )}
      </a>
    ))}
  </>
);

const states: Record<Draft['state'], Word> = {
  sending: 'chat.sending',
  waiting: 'chat.waiting',
  refused: 'chat.unsent',
};
/** Written here, and not yet known to have arrived. */
export const Unsent = ({ draft }: { draft: Draft }) => (
  <li class="message mine">
    <Avatar src={me().avatar_url} size="s" />
    <div class="bubble">
      <p class="quiet-line">
        {t('chat.mine')} · {t(states[draft.state])}
      </p>
      <Text text={draft.text} />
      {draft.files.map(({ name }) => (
        <p key={name}>{name}</p>
      ))}
      {draft.state === 'refused' && (
        <div class="replies">
          <Button onClick={() => sendAgain(draft)}>{t('state.again')}</Button>
          <Button onClick={() => discard(draft)}>{t('chat.discard')}</Button>
        </div>
      )}
    </div>
  </li>
);
