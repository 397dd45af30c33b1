/** Words of a title for a URL: lower case, Latin letters without marks, other scripts as they are. */
export function slugOf(title: string): string {
  const words =
    title
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join('-').slice(0, 100).replace(/-$/, '') || 'untitled';
}
