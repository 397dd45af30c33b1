import './avatar.css';

/** A person's picture or a space's. The name stands beside it, so it says nothing itself. */
export const Avatar = ({ src, size = 'm' }: { src: string; size?: 's' | 'm' | 'l' }) => (
  <img class={`avatar ${size}`} src={src} alt="" width="96" height="96" loading="lazy" />
);
