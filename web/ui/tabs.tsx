import './tabs.css';

interface Tab {
  name: string;
  href: string;
  word: string;
}
/** Parts of one thing; each has an address, so they are links. */
export const Tabs = ({ label, here, tabs }: { label: string; here: string; tabs: readonly Tab[] }) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ name, href, word }) => (
      <a key={name} href={href} aria-current={name === here ? 'page' : undefined}>
        {word}
      </a>
    ))}
  </nav>
);
