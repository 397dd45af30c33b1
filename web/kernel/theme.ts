// Light, dark, or as the system has it: kept on the device, for it is the device that stands in the sun.
import { signal } from '@preact/signals';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];
const KEY = 'theme';

const kept = (() => {
  try {
    return themes.find((one) => one === localStorage.getItem(KEY));
  } catch {
    return undefined;
  }
})();
export const theme = signal<Theme>(kept ?? 'system');

export function setTheme(wanted: Theme) {
  theme.value = wanted;
  try {
    localStorage.setItem(KEY, wanted);
  } catch {
    // Where nothing may be kept it holds until the page is left.
  }
  show();
}
function show() {
  if (theme.value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
}
show();
