/** Texts in several scripts: each converts, normalizes and compares at another cost. */
const scripts = { ascii: 'a', accents: 'é', decomposed: 'e\u0301', arabic: 'ب', emoji: '😀', ligature: 'ﷺ' } as const;

/** Every script by name. */
export const scriptNames = Object.keys(scripts) as readonly (keyof typeof scripts)[];

/** A text of about that many UTF-16 units. */
export const textIn = (script: keyof typeof scripts, length: number): string =>
  scripts[script].repeat(Math.floor(length / scripts[script].length));

/** Different hosts of each kind. The longest ones are near the limit of 253 octets. */
export const hosts: Readonly<Record<string, (n: number) => string>> = {
  ascii: (n) => `host${n}.example.com`,
  'accented labels': (n) => `${'ü.'.repeat(30)}a${n}.de`,
  'short accented': (n) => `ü${n}ß.de`,
  'long accented': (n) => `${'äöüß'.repeat(9)}.${'äöüß'.repeat(9)}.a${n}.de`,
  arabic: (n) => `${'مثال.'.repeat(12)}a${n}.de`,
  joiners: (n) => `${'نامه\u200cای.'.repeat(9)}a${n}.com`,
  'full-width': (n) => `${'ｅｘａｍｐｌｅ．'.repeat(12)}a${n}.com`,
  emoji: (n) => `${'😀😀😀.'.repeat(9)}a${n}.com`,
  punycode: (n) => `${'xn--tda.'.repeat(15)}a${n}.de`,
  // As long as an email may be before the soft hyphens go.
  'soft hyphens': (n) => `${`${'\u00ad'.repeat(30)}a.`.repeat(7)}b${n}.de`,
  refused: (n) => `${`${'ﷺ'.repeat(120)}.`.repeat(8)}a${n}.de`,
};

/** As many different values as fit into a body, in lists of at most `perList`. */
export const listsOf = (
  valueOf: (n: number) => string,
  perList: number,
  lists: number,
  maxBytes: number,
): string[][] => {
  const found: string[][] = [];
  for (let bytes = 0, n = 0; n < perList * lists; n += 1) {
    const value = valueOf(n);
    bytes += Buffer.byteLength(value) + 3;
    if (bytes > maxBytes) break;
    if (n % perList === 0) found.push([]);
    found.at(-1)?.push(value);
  }
  return found;
};

/** The value of a custom field of each type, in a script where it takes text. */
export const customValues: Readonly<Record<string, (host: string, text: string) => unknown>> = {
  email: (host) => `a@${host}`,
  website: (host) => host,
  url: (host) => `https://${host}/`,
  string: (_host, text) => text,
  number: () => 12.5,
  phone: () => '+14155550123',
  date: () => '2026-02-28',
  datetime: () => '2026-02-28T10:00:00+02:00',
  checkbox: () => true,
  location: (_host, text) => ({ address: text, city: text.slice(0, 20), lat: 1, lng: 2 }),
  team_members: () => Array.from({ length: 20 }, (_, n) => `MEMBER${n}@team.example`),
  date_range: () => ({ start: '2026-01-01', end: '2026-02-01' }),
};
