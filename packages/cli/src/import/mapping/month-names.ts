/** The languages whose names of months are read. */
const languages =
  'en de fr es it pt nl sv da nb fi pl cs sk sl hu ro hr bg ru uk el tr et lv lt ca id vi ja ko zh'.split(' ');

const simplified = (name: string): string => name.normalize('NFC').toLowerCase().replace(/\.$/, '');

/** The months by name, long or short, alone or with a day: `März` and `märz` → 3. Some names are two months. */
const monthsByName = (): ReadonlyMap<string, ReadonlySet<number>> => {
  const months = new Map<string, Set<number>>();
  const forms = [
    { month: 'long' },
    { month: 'short' },
    { day: 'numeric', month: 'long' },
    { day: 'numeric', month: 'short' },
  ] as const;
  for (const language of languages) {
    for (const form of forms) {
      const format = new Intl.DateTimeFormat(`${language}-u-nu-latn-ca-gregory`, { ...form, timeZone: 'UTC' });
      for (let month = 1; month <= 12; month += 1) {
        const parts = format.formatToParts(Date.UTC(2026, month - 1, 15));
        const name = simplified(parts.find(({ type }) => type === 'month')?.value ?? '');
        if (/\p{L}/u.test(name)) months.set(name, (months.get(name) ?? new Set()).add(month));
      }
    }
  }
  // Common forms that Intl does not print.
  for (const [name, month] of [
    ['sep', 9],
    ['mrz', 3],
    ['maerz', 3],
    ['jänner', 1],
    ['okt', 10],
  ] as const)
    months.set(name, (months.get(name) ?? new Set()).add(month));
  return months;
};

let known: ReadonlyMap<string, ReadonlySet<number>> | undefined;

/** The numbers of the months with this name in any language: `listopad` is October in Croatian and November in Czech. */
export const monthsNamed = (name: string): readonly number[] => [
  ...((known ??= monthsByName()).get(simplified(name)) ?? []),
];
