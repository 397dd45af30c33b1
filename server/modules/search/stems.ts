// Which words are likely forms of one another, without knowing their language: the longest known ending is taken off,
// and again, until none fits. It joins strangers too; so a word itself always counts more than its other forms.
const LATIN = `s es ed ing ings er ers est ly ness ment ments ies ied y e en em ern n st te ten tes ter test end
  ende enden ung
  ungen lich liche lichen heit keit keiten isch ische ischen schaft schaften ee ees ez ons ont ait ais aient ant
  ante antes ants aux eux euse euses ement tion tions ations ation if ive ifs ives o a os as ar ir ando iendo
  ado ada ados adas ido ida idos idas aron ieron aba aban amos emos imos an cion ciones sion siones mente dad
  dades i u ow om ami ach ego emu ej ych ymi im ie iem owi ac ic al ala ali alo aly il ila ili ilo ily osc osci
  ania aniu aniem enia eniu eniem owac owal owana owane owany uje uja ki ka ke ko kow kach kami are ere ire ato
  ata ati ate endo zione zioni mento menti cao coes oes eis ais que ra ras ria rias ran x`;
const CYRILLIC = `а е и о у ы ь ю я й ов ев ей ий ый ой ая яя ое ее ые ие ого его ому ему ым им ом ем ам ям ах
  ях ами ями ими ыми
  ых их ую юю ою ею ия ии ию ией иям иях иями ость ости остью остей ать ять еть ить ал ала али ало ял яла яли ил
  ила или ило ел ела ели ет ют ут ит ат ят ешь ишь ете ите ем им ться тся лся лась лись ание ания анию анием
  ений ение ения ению ением аний ся сь н на но ны ный ная ное ные ного ному ным ных ными ную ной ск ский ская
  ское ские ского`;
const endings = (text: string, least: number) => {
  const list = new Set(text.split(/\s+/));
  return { list, longest: Math.max(...[...list].map(({ length }) => length)), least };
};
const latin = endings(LATIN, 4);
const cyrillic = endings(CYRILLIC, 3);
const IS_LATIN = /^[a-z]+$/;
const IS_CYRILLIC = /^[\u0400-\u04ff]+$/;
const IS_ARABIC = /^[\u0620-\u064a]+$/;
const ARABIC_START = /^(?:وال|بال|كال|فال|لل|ال|و)(?=.{3})/;
const ARABIC_END = /(?<=.{3})(?:ات|ون|ين|ان|يه|ها|هم|ه|ي)$/;

/** What the forms of a word have in common. */
export function stemOf(word: string): string {
  if (IS_LATIN.test(word)) return without(word, latin);
  if (IS_CYRILLIC.test(word)) return without(word, cyrillic);
  if (IS_ARABIC.test(word)) return word.replace(ARABIC_START, '').replace(ARABIC_END, '');
  return word;
}

function without(word: string, { list, longest, least }: ReturnType<typeof endings>): string {
  let stem = word;
  for (;;) {
    let length = Math.min(longest, stem.length - least);
    while (length > 0 && !list.has(stem.slice(-length))) length--;
    if (length <= 0) return stem;
    stem = stem.slice(0, -length);
  }
}

/** The stem read from its end, so that words which end alike stand together: compounds (Fahrkartenautomat). */
export const tailOf = (stem: string): string => [...stem].reverse().join('');
