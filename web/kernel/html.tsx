// HTML that the server has sanitised, put into the page.
//
// The page's policy has no inline styles, so `style="…"` would be dropped: the attribute is renamed before the text is
// parsed, and its declarations are set one by one afterwards, which the policy allows.
import { useLayoutEffect, useRef } from 'preact/hooks';

const RENAMED = 'data-style';

export function parsed(html: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = html.replaceAll(/(<[^>]*?)\sstyle=/gi, `$1 ${RENAMED}=`);
  for (const element of template.content.querySelectorAll<HTMLElement>(`[${RENAMED}]`)) {
    element.style.cssText = element.getAttribute(RENAMED) ?? '';
    element.removeAttribute(RENAMED);
  }
  for (const image of template.content.querySelectorAll('img')) {
    image.loading = 'lazy';
    if (!image.hasAttribute('alt')) image.alt = '';
  }
  for (const link of template.content.querySelectorAll('a')) link.rel = 'noopener noreferrer';
  for (const named of template.content.querySelectorAll<HTMLElement>(MENTIONS)) mention(named);
  for (const table of template.content.querySelectorAll('table')) {
    const scroller = document.createElement('div');
    scroller.className = 'scroller';
    scroller.tabIndex = 0;
    table.replaceWith(scroller);
    scroller.append(table);
  }
  return template.content;
}

const MENTIONS = '[data-user-id], [data-team-id], [data-space-id]';
/** Wherever the link went that was written there: it names somebody, and leads to them. */
function mention(named: HTMLElement) {
  const { userId, spaceId } = named.dataset;
  const href = userId ? `/directory/people/${userId}` : spaceId && `/spaces/${spaceId}`;
  named.classList.add('mention');
  if (named instanceof HTMLAnchorElement) {
    named.removeAttribute('target');
    if (href) named.href = href;
    else named.removeAttribute('href');
  } else if (href && !named.closest('a') && !named.querySelector('a')) {
    const link = document.createElement('a');
    link.href = href;
    link.append(...named.childNodes);
    named.append(link);
  }
}

export function Html({ html }: { html: string }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.replaceChildren(parsed(html)), [html]);
  return <div class="prose" dir="auto" ref={place} />;
}
