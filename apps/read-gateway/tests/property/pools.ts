import { type AttributeType, attributeTypes } from '@crm/domain';

/** Values with the same first 200 code points, which a sort cannot tell apart. */
const longValues = ['д', '𝒳', 'z'].flatMap((letter) => [
  letter.repeat(199),
  letter.repeat(200),
  `${letter.repeat(200)}a`,
  `${letter.repeat(200)}B`,
  letter.repeat(220),
]);

/** Texts in many scripts with case variants, and characters with a meaning in SQL, LIKE, JSON or array literals. */
export const texts: readonly string[] = [
  ...['a', 'A', 'ab', 'Ab', 'b', 'B', 'z', 'Z'],
  ...['Straße', 'STRASSE', 'ß', 'ẞ', 'İstanbul', 'istanbul', 'ISTANBUL', 'ılık', 'I'],
  ...['ΟΔΟΣ', 'οδος', 'οδοσ', 'ΟΔΥΣΣΕΥΣ', 'Σ', 'ς', 'İ', 'Iİi', 'é', 'e\u0301', 'É', 'E\u0301', 'ﬁ', 'Å', '\u212b'],
  ...['日本語', '日本', 'שלום', 'مرحبا', 'Привет', 'ПРИВЕТ', 'हिन्दी', '한국어', '\u1112\u1161\u11ab'],
  ...['😀', '😀😁', 'a😀', 'B😁😀', '𐐀b𐐨', '\ufffd', '\uffff', '\u{10ffff}', 'Ǆ', 'ǆ', '𐐀', '𐐨'],
  ...['%', '_', '\\', '100%', '100_', '100x', 'a\\b', 'a\\\\b', "o'neil", '"quoted"', '$1', '{a,b}', '[]', '{}'],
  ...['null', 'NULL', 'true', '0', '10', '9', '-1', '1e3', 'two words', 'tab\there', 'line\nbreak', '\u00a0', ' '],
  ...longValues,
];

/** The texts that are valid names: trimmed, composed, not blank. */
export const names: readonly string[] = [
  ...new Set(texts.map((text) => text.normalize('NFC').trim()).filter((text) => /[^\s\p{C}]/u.test(text))),
];

/** Names as programs send them: with white space and invisible characters around them, and not composed. */
export const sentNames: readonly string[] = names.map((name, index) =>
  index % 3 === 0 ? ` \u00a0${name.normalize('NFD')}\u200b` : index % 3 === 1 ? `\ufeff${name} ` : name,
);

export const options = ['hot', 'Hot', 'warm', 'cold', 'ZETA', 'été', '%', '日本', 'a b'].map((value, index) => ({
  label: `Label ${index}`,
  value,
  color: 'gray',
}));
/** Archived, but values with it stay readable and can be searched for. */
export const archivedOption = { label: 'Gone', value: 'gone', color: 'gray', archived: true };

export const members = ['ann@team.example', 'bob@team.example', 'zoe@team.example'];

const numbers = [-1.5, -1, 0, 0.1, 0.3, 1, 1.5, 2, 3, 10, 100, 999_999_999_999_999, -999_999_999_999_999, 0.000001];
const dates = ['0001-01-01', '1969-12-31', '1970-01-01', '2024-02-28', '2024-02-29', '2024-03-01', '9999-12-31'];
const dayMs = 86_400_000;
const leapDayMs = Date.parse('2024-02-29');
/** The edges of one day and their neighbours, the year 1 and the last instant. */
export const instantsMs = [
  -62_135_596_800_000,
  -1,
  0,
  leapDayMs - 1,
  leapDayMs,
  leapDayMs + 1,
  leapDayMs + dayMs - 1,
  leapDayMs + dayMs,
  253_402_300_799_999,
];
/** Whether a number of milliseconds does not look like seconds, which is refused. */
export const isPlausible = (ms: number): boolean => Math.abs(ms) >= 100_000_000_000;
const iso = instantsMs.map((ms) => new Date(ms).toISOString());
const times = ['00:00:00', '09:00', '09:00:01', '10:00', '23:59:59'];
const cities = ['Berlin', 'BERLIN', 'München', 'İzmir', '東京', 'a%b', '\\', 'x'.repeat(200), `${'x'.repeat(200)}y`];

const ranges = dates.flatMap((start, index) => [
  { start, end: null },
  { start: null, end: start },
  { start, end: dates[Math.min(index + 1, dates.length - 1)] ?? start },
]);

const locations = [
  ...cities,
  ...cities.map((city) => ({ region: ` ${city}\u200b`, city: `\u00a0${city}` })),
  ...cities.map((city, index) => ({ city, lat: index - 4.5, lng: index * 20 - 80, country: texts[index * 3] })),
  { address: '1 Main St', city: 'Berlin', region: 'BE', postal_code: '10115', country: 'DE' },
  { lat: 0, lng: -0.5 },
  { region: 'ÎLE', postal_code: '00%' },
];

/** Values to write for each type. They are few, so that filters match and records tie in every sort. */
export const sentValues: Readonly<Record<AttributeType, readonly unknown[]>> = {
  string: ['', ...texts, 'x'.repeat(3_000)],
  number: numbers,
  checkbox: [true, false],
  date: dates,
  date_range: ranges,
  rating: [0, 1, 2, 3, 4, 5],
  timestamp: instantsMs.map((ms) => (isPlausible(ms) ? ms : new Date(ms).toISOString())),
  select: options.flatMap(({ value, label }) => [value, label.toUpperCase()]),
  multi_select: [
    [],
    ...options.flatMap(({ value }, index) => [[value], options.slice(index, index + 3).map((o) => o.value)]),
  ],
  currency: [0, 0.1, 12.5, 99.9999, 100, 1e14, -3],
  percentage: [-5, 0, 0.5, 33.3, 50, 100, 250],
  location: locations,
  time: times,
  datetime: iso,
  email: [
    'a@b.de',
    'A@B.de',
    ' A@b.de.\u200b',
    'ab@b.de',
    'a+1@b.de',
    'x_y@c.example',
    'x%y@c.example',
    'z@münchen.de',
  ],
  phone: [
    '+4930123456',
    '+49 30 123457',
    ' +49 (0)30 123456',
    '\u202a+49 30 123458\u202c',
    ' 030 124 ',
    '030 123',
    '(030) 123',
    'ext. 5',
    'EXT. 5',
    '1%',
    'д'.repeat(201),
  ],
  website: [
    'b.de',
    'B.de',
    'www.b.de',
    ' WWW.www.B.de/x',
    '\u200bHTTPS://B.de',
    'b.de/Path',
    'b.de/path',
    'https://b.de/a_b',
    'münchen.de',
    `b.de/${'p'.repeat(220)}`,
    `b.de/${'p'.repeat(221)}`,
  ],
  url: [
    'https://b.de',
    ' HTTPS://B.de:443',
    'https://b.de/ü',
    'https://b.de/Path?q=1',
    'https://b.de/path?q=1',
    'http://b.de/%41',
    `https://b.de/${'p'.repeat(220)}`,
    `https://b.de/${'p'.repeat(220)}q`,
  ],
  radio: options.map(({ value }) => value),
  team_members: [[], [' ANN@team.example. '], ...members.map((member) => [member]), members, members.slice(1)],
};

/** Types that compare as one value. They can be sorted by and can have an indexed column. */
export const scalarTypes = attributeTypes.filter(
  (type) => !['date_range', 'multi_select', 'location', 'team_members'].includes(type),
);

/** Values for filters on numbers; some lie between the values of the records. */
export const numberOperands = [
  ...numbers,
  ...[0, 1, 2, 3, 4, 5, 12.5, 99.9999, 33.3, 50, 0.2, -2, 1e300, -4.5, 20, -80],
];
export const dateOperands = [...dates, '2024-02-01', 0, leapDayMs];
export const timeOperands = [...times, '12:00', '09:00:00'];
const numericInstants = instantsMs.filter((ms) => ms === 0 || isPlausible(ms));
/** Includes whole days. */
export const instantOperands = [...numericInstants, ...iso, ...dates, '2024-02-29T00:00:00+02:00'];
export const cityOperands = [...cities, '1 main st', 'be', 'DE', '10115', 'ber', '00%', ...texts.slice(0, 24)];
