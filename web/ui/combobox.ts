// The keys of a combobox and what screen readers are told of its list (WAI-ARIA), from a kept library: arrows choose,
// Enter presses, the focus stays in the field.
import Combobox from '@github/combobox-nav';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** `shown`: the options that there are now; when they change, the first of them is the chosen one. */
export function useCombobox(
  field: RefObject<HTMLInputElement | null>,
  list: RefObject<HTMLElement | null>,
  shown: unknown,
  isOpen: boolean,
) {
  const combobox = useRef<Combobox | undefined>(undefined);
  useLayoutEffect(() => {
    if (!field.current || !list.current) return;
    const made = new Combobox(field.current, list.current, {
      firstOptionSelectionMode: 'selected',
      tabInsertsSuggestions: false,
    });
    // A letter takes the choice away, but the options for that letter may be there already, the first of them chosen.
    made.inputHandler = () => {};
    combobox.current = made;
    return () => made.destroy();
  }, []);
  useLayoutEffect(() => {
    if (isOpen) combobox.current?.start();
    else combobox.current?.stop();
  }, [shown, isOpen]);
}
