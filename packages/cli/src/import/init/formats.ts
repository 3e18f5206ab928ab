import { parseCurrencyCode } from '@crm/domain';

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

/** The forms of days in numbers, each with its mirrored form, and with names of months. `_` is a separator. */
const numeric = ['yyyy_M_d', 'd_M_yyyy', 'M_d_yyyy', 'd_M_yy', 'M_d_yy', 'yy_M_d'];
const named = ['d_MMM_yyyy', 'd_MMM_yy', 'MMM_d_yyyy', 'MMM_d_yy', 'yyyy_MMM_d'];

const days = [
  ...['/', '-', '.', ' ', '. '].flatMap((sign) => [...numeric, ...named].map((form) => form.replaceAll('_', sign))),
  ...['d. MMM yyyy', 'd MMM, yyyy', 'MMM d, yyyy', "d 'de' MMM 'de' yyyy", 'yyyy. M. d.'],
  ...['E, d MMM yyyy', 'E, MMM d, yyyy', 'E MMM d yyyy', 'E d MMM yyyy', 'E, d. MMM yyyy'],
  ...["yyyy'年'M'月'd'日'", "yyyy'년' M'월' d'일'"],
];

const times = ['', ' H:mm', ' H:mm:ss', ' h:mm a', '[,] H:mm[:ss[.S]]', '[[,] h:mm[:ss][ ]a]', ' H.mm[.ss]'].concat(
  '[ H:mm[:ss[.S]][ ][Z]]',
);

const digits = ['yyyyMMdd', 'ddMMyyyy', 'MMddyyyy', 'yyMMdd', 'ddMMyy', 'MMddyy', 'yyyyMMddHHmm', 'yyyyMMddHHmmss'];

/** The formats of dates, the usual ones first. */
export const dateFormats: readonly FormatOfDates[] = [
  ...days.flatMap((day) => times.map((time) => ({ format: `${day}${time}` }))),
  ...['.S', "','S"].map((fraction) => ({ format: `yyyy-MM-dd[THH:mm[:ss[${fraction}]][Z]]` })),
  ...[...digits, 'yyyyMMddTHHmmss[Z]'].map((format) => ({ format })),
  ...['yyyy/d/M', 'yyyy-d-M', 'yyyy.d.M'].map((format) => ({ format, isRare: true })),
  ...['excel', 'excel-1904'].map((format) => ({ format, shape: /^\d{5}(\.\d+)?$/ })),
  { format: 'unix', shape: /^\d{9,10}$/ },
  { format: 'unix-ms', shape: /^\d{12,13}$/ },
];

/** The signs of currencies, each with the likeliest first. */
const currenciesBySign = new Map(
  `€ EUR, Euro EUR, £ GBP, $ USD AUD CAD MXN NZD SGD HKD, US$ USD, A$ AUD, AU$ AUD, C$ CAD, CA$ CAD, NZ$ NZD, S$ SGD,
  HK$ HKD, NT$ TWD, MX$ MXN, R$ BRL, ¥ JPY CNY, 円 JPY, 元 CNY, CN¥ CNY, Fr. CHF, SFr. CHF, kr DKK ISK NOK SEK,
  kr. DKK ISK NOK SEK, zł PLN, Kč CZK, Ft HUF, lei RON, лв BGN, лв. BGN, ₽ RUB, руб. RUB, ₴ UAH, грн UAH, ₺ TRY, TL TRY,
  ₹ INR, Rs INR PKR LKR, Rs. INR PKR LKR, ₩ KRW, ₫ VND, đ VND, ₪ ILS, ฿ THB, ₱ PHP, Rp IDR, RM MYR, ₦ NGN, ₸ KZT, S/ PEN`
    .split(/,\s+/)
    .map((line) => line.split(' '))
    .map(([sign = '', ...codes]) => [sign, codes]),
);

/** The currencies of a sign or code; undefined for other texts. */
export const currenciesOf = (word: string): readonly string[] | undefined =>
  currenciesBySign.get(word) ?? (parseCurrencyCode(word).ok ? [word] : undefined);

/** What other words at a number usually multiply by. Each is a line CHECK. */
export const likelyUnits: ReadonlyMap<string, number> = new Map(
  Object.entries({
    '1000': 'k K T tsd Tsd Tsd. thousand',
    '100000': 'L lakh Lakh lakhs lac Lac',
    '1000000': 'm M mm MM mn Mn mio Mio Mio. million Million',
    '10000000': 'cr Cr crore Crore',
    '1000000000': 'b B bn Bn BN bln Mrd Mrd. mrd billion Billion',
    '-1': 'CR () - – — ‒',
  }).flatMap(([factor, all]) => all.split(' ').map((word): [string, number] => [word, Number(factor)])),
);
