/** What a text names as asset://7, and where that is for now: read from the same text with its addresses signed. */
export function addressesIn(signed: string): Map<string, string> {
  const found = signed.matchAll(/["']([^"']*\/files\/\d+\/(\d+)\/original[^"']*)["']/g);
  return new Map([...found].map(([, address = '', id]) => [`asset://${id}`, address.replaceAll('&amp;', '&')]));
}
