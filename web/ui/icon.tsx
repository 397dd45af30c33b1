import sprite from 'virtual:icons.svg';
import type { IconName } from '../icons.ts';
import './icon.css';

/** Says nothing by itself: what it stands for is in the text beside it, or in its button's label. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" aria-hidden="true">
    <use href={`${sprite}#${name}`} />
  </svg>
);
