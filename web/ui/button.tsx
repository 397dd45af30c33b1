import type { ComponentChildren, JSX } from 'preact';
import type { IconName } from '../icons.ts';
import './button.css';
import { Icon } from './icon.tsx';

interface Look {
  /** `main`: the one thing to do here. `danger`: it takes something away. */
  look?: 'main' | 'plain' | 'quiet' | 'danger';
  icon?: IconName;
  children?: ComponentChildren;
}
type ButtonProps = Look & Omit<JSX.IntrinsicElements['button'], 'icon'>;

export const Button = ({ look = 'plain', icon, children, type = 'button', ...more }: ButtonProps) => (
  <button type={type} class={`button ${look}`} {...more}>
    {icon && <Icon name={icon} />}
    {children}
  </button>
);
/** A button with nothing but an icon has its words in `label`. */
export const IconButton = ({ icon, label, ...more }: ButtonProps & { icon: IconName; label: string }) => (
  <button type="button" class="button quiet round" aria-label={label} title={label} {...more}>
    <Icon name={icon} />
  </button>
);
