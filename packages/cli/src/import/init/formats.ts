import type { NumberFormat } from '../mapping/number-format.js';

/** The formats of numbers. */
export const numberFormats: readonly NumberFormat[] = [
  {},
  ...[',', "'", ' '].map((group) => ({ group })),
  ...['.', ' ', "'"].map((group) => ({ decimal: ',' as const, group })),
  { decimal: '٫', group: '٬' },
];

/** A format of dates. */
export interface FormatOfDates {
  readonly format: string;
  /** Only texts of this shape can be such dates. */
  readonly shape?: RegExp;
  /** Whether it counts only if no other format fits as many texts. */
  readonly isRare?: boolean;
}

const withSigns = (...forms: string[]): string[] =>
  ['/', '-', '.'].flatMap((sign) => forms.map((form) => form.replaceAll('_', sign)));

/** The forms of days. Each has its mirrored form, in which day and month change places. */
const days = [
  ...withSigns('yyyy_M_d', 'd_M_yyyy', 'M_d_yyyy', 'd_M_yy', 'M_d_yy', 'd_MMM_yyyy', 'd_MMM_yy', 'yyyy_MMM_d'),
  ...['yy-M-d', 'yy/M/d', 'd. M. yyyy', 'yyyy. M. d.', 'yyyy. M. d', "yyyy'年'M'月'd'日'", "yyyy'년' M'월' d'일'"],
  ...[
    'd M yyyy',
    'M d yyyy',
    'yyyy M d',
    'd MMM yyyy',
    'd MMM yy',
    'd. MMM yyyy',
    'd MMM, yyyy',
    'MMM d, yyyy',
    'MMM d yyyy',
  ],
  ...['E, d MMM yyyy', 'E, MMM d, yyyy', 'E MMM d yyyy', 'E d MMM yyyy', 'E, d. MMM yyyy', "d 'de' MMM 'de' yyyy"],
];

const times = [
  '',
  ' H:mm',
  ' H:mm:ss',
  ' h:mm a',
  '[,] H:mm[:ss[.S]]',
  '[[,] h:mm[:ss][ ]a]',
  '[ H:mm[:ss[.S]][ ][Z]]',
];

/** The formats of dates, the usual ones first. */
export const dateFormats: readonly FormatOfDates[] = [
  ...days.flatMap((day) => times.map((time) => ({ format: `${day}${time}` }))),
  ...['[THH:mm[:ss[.S]][Z]]', "[THH:mm[:ss[','S]][Z]]"].map((time) => ({ format: `yyyy-MM-dd${time}` })),
  ...['yyyyMMdd', 'ddMMyyyy', 'MMddyyyy', 'yyMMdd', 'ddMMyy', 'MMddyy', 'yyyyMMddHHmm', 'yyyyMMddHHmmss'].map(
    (format) => ({
      format,
    }),
  ),
  { format: 'yyyyMMddTHHmmss[Z]' },
  ...withSigns('yyyy_d_M').map((format) => ({ format, isRare: true })),
  ...['excel', 'excel-1904'].map((format) => ({ format, shape: /^\d{5}(\.\d+)?$/ })),
  { format: 'unix', shape: /^\d{9,10}$/ },
  { format: 'unix-ms', shape: /^\d{12,13}$/ },
];

/** Signs of currencies that Intl does not know. */
const moreSigns =
  'US$ USD,AU$ AUD,C$ CAD,S$ SGD,Fr. CHF,SFr. CHF,Euro EUR,Rs INR,Rs. INR,Rs. PKR,kr. DKK,kr. NOK,kr. SEK,元 CNY,円 JPY';

const symbolOf = (currency: string, currencyDisplay: 'symbol' | 'narrowSymbol'): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay })
    .formatToParts(1)
    .find(({ type }) => type === 'currency')?.value ?? currency;

/** The currencies by their codes and signs, the likeliest first: `$` → USD, AUD, CAD … A single letter is no sign. */
const currenciesBySign = (): ReadonlyMap<string, readonly string[]> => {
  const codes = Intl.supportedValuesOf('currency');
  const bySign = new Map<string, readonly string[]>(codes.map((code) => [code, [code]]));
  const add = (sign: string, code: string): void => {
    const known = bySign.get(sign) ?? [];
    if (!/^[a-z]$/i.test(sign) && !known.includes(code)) bySign.set(sign, [...known, code]);
  };
  const hasOwnSign = (code: string | undefined): boolean => code !== undefined && symbolOf(code, 'symbol') !== code;
  for (const code of codes) add(symbolOf(code, 'symbol'), code);
  for (const code of codes) {
    const sign = symbolOf(code, 'narrowSymbol');
    // A small currency does not put the sign of a large one in doubt: £ is GBP, not FKP.
    if (hasOwnSign(code) || !hasOwnSign(bySign.get(sign)?.[0])) add(sign, code);
  }
  for (const pair of moreSigns.split(',')) add(...(pair.split(' ') as [string, string]));
  return bySign;
};

let known: ReadonlyMap<string, readonly string[]> | undefined;

/** The currencies of a sign or code; undefined for other texts. */
export const currenciesOf = (sign: string): readonly string[] | undefined => (known ??= currenciesBySign()).get(sign);

/** What other words at a number usually multiply by. Each is a line CHECK. */
export const likelyUnits: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries({
    '1000': 'k K T tsd Tsd Tsd. thousand',
    '100000': 'L lakh Lakh lakhs lac Lac',
    '1000000': 'm M mm MM mn Mn mio Mio Mio. million Million',
    '10000000': 'cr Cr crore Crore',
    '1000000000': 'b B bn Bn BN bln Mrd Mrd. mrd billion Billion',
    '-1': 'CR () -',
    '1': 'DR',
  }).flatMap(([factor, words]) => words.split(' ').map((word) => [word, Number(factor)])),
);
