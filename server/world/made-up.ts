// What a made-up company is called and writes, computed from numbers: the same number makes the same words.

/** 0 ≤ x < 1, the same for the same row and salt (the mixing steps of MurmurHash3). */
export function fraction(number: number, salt: number): number {
  let h = Math.imul(number, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}
export const pick = <T>(list: readonly T[], number: number, salt: number): T =>
  list[Math.floor(fraction(number, salt) * list.length)] as T;

const listed = (text: string) => text.split(', ');
export const vocabulary = {
  givenNames: listed(
    'Amara, Anna, Bilal, Chiara, Daniel, Elif, Femi, Grace, Hugo, Ines, Jan, Kenji, Leila, Marta, Noah, Olga, Priya, ' +
      'Quentin, Rosa, Samir, Tove, Uma, Viktor, Wei, Zoë',
  ),
  familyNames: listed(
    'Adeyemi, Bauer, Costa, Dubois, Eriksen, Fischer, García, Haddad, Ivanova, Jensen, Kowalski, Lopez, Müller, ' +
      'Nguyen, Okafor, Patel, Rossi, Sato, Tanaka, Weber',
  ),
  frontlineTitles: listed(
    'Sales assistant, Store lead, Driver, Warehouse operative, Technician, Nurse, Machine operator',
  ),
  officeTitles: listed('Accountant, Analyst, Engineer, Designer, Recruiter, Product owner, Head of region, Counsel'),
  timezones: listed('Europe/Berlin, Europe/Lisbon, America/New_York, Asia/Tokyo'),
  locales: listed('en, de, pt, ja'),
  teamTypes: listed('Department, Location, Shift'),
  topics: listed('Safety, Logistics, Sales, Finance, People, Quality, Facilities, Travel, IT, Customer care, Training'),
  subjects: listed(
    'checklist, how we work, questions and answers, what changes, contacts, policy, first week, yearly review',
  ),
};

const words = (
  'every store team keeps the plan open for one another and writes down what was agreed before a shift begins ' +
  'so nobody has to ask twice when goods arrive late or a customer waits ' +
  'please check the list with your lead return keys on time report damage at once book travel early and tell ' +
  'people what you learned because small notes help large groups'
).split(' ');
export const sentences = Array.from({ length: 256 }, (_, n) => {
  const text = Array.from({ length: 12 + (n % 12) }, (_, place) => pick(words, n, 100 + place)).join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
});

const HTML_CHARACTERS = 2000;
export function htmlOf(number: number): string {
  let html = `<h2>${pick(sentences, number, 20)}</h2>`;
  for (let n = 21; html.length < HTML_CHARACTERS; n++)
    html += `<p>${pick(sentences, number, n)} ${pick(sentences, number, n + 1000)}</p>`;
  return html;
}
