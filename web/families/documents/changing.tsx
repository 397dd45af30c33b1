// Names, moves and deletes a folder or a document; names a new folder.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useRead } from '../../kernel/screen.tsx';
import { useSubmit } from '../../kernel/submit.ts';
import { t } from '../../kernel/words.ts';
import { Button } from '../../ui/button.tsx';
import { confirm } from '../../ui/dialog.tsx';
import { ChoiceField, Field } from '../../ui/field.tsx';
import { say } from '../../ui/toast.tsx';
import * as data from './data.ts';

export type Changed =
  | { kind: 'new'; place: data.Place }
  | { kind: 'folder'; folder: data.Folder }
  | { kind: 'document'; document: data.Document };

const refusals = {
  name_taken: 'document.name_taken',
  folder_not_empty: 'document.not_empty',
} as const;

export function Changing({ what, close, gone }: { what: Changed; close: () => void; gone?: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const [name, setName] = useState(
    what.kind === 'folder' ? what.folder.name : what.kind === 'document' ? what.document.label : '',
  );
  const space_id =
    what.kind === 'new' ? what.place.space_id : (what.kind === 'folder' ? what.folder : what.document).space_id;
  const before =
    what.kind === 'folder' ? what.folder.parent_id : what.kind === 'document' ? what.document.location_id : 0;
  const [to, setTo] = useState(String(before ?? ''));
  const { value: folders = [] } = useRead(
    async () => (what.kind === 'new' ? [] : data.foldersOf(space_id)),
    [what.kind, space_id],
  );
  const target = Number(to) || null;
  const { submit, isBusy, failed } = useSubmit(async () => {
    if (what.kind === 'new') await data.addFolder(what.place, name);
    else if (what.kind === 'folder') await data.changeFolder(what.folder, name, target);
    else await data.changeDocument(what.document, name, target);
    close();
  });
  const remove = async () => {
    if (!(await confirm(t('document.delete', { name }), t('action.delete')))) return;
    try {
      if (what.kind === 'folder') await data.deleteFolder(what.folder);
      else if (what.kind === 'document') await data.deleteDocument(what.document);
      close();
      gone?.();
    } catch (error) {
      const code = (error as { code?: keyof typeof refusals }).code;
      say(t(code && code in refusals ? refusals[code] : 'state.failed'));
    }
  };
  const wrong = failed && t(refusals[failed.code as keyof typeof refusals] ?? 'state.failed');
  const others = folders.filter(({ id }) => !(what.kind === 'folder' && id === what.folder.id));
  const title = what.kind === 'new' ? t('document.new_folder') : t('document.change', { name });
  return (
    <dialog class="dialog" ref={dialog} aria-label={title} onClose={close}>
      <form class="writing" onSubmit={submit}>
        <Field label={t('document.name')} error={wrong}>
          {(own) => (
            <input
              class="input"
              dir="auto"
              required
              maxLength={255}
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
              {...own}
            />
          )}
        </Field>
        {what.kind !== 'new' && (
          <ChoiceField
            label={t('document.folder')}
            value={to}
            onChoice={setTo}
            none={t('document.at_top')}
            choices={others}
          />
        )}
        <div class="actions">
          {what.kind !== 'new' && (
            <Button look="danger" onClick={remove}>
              {t('action.delete')}
            </Button>
          )}
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button type="submit" look="main" disabled={isBusy}>
            {t('writing.save')}
          </Button>
        </div>
      </form>
    </dialog>
  );
}
