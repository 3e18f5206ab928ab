import { compareCodePoints, type FieldIndex } from '@crm/domain';
import { expectedIds, type Question } from './oracle.js';
import type { RecordModel } from './record-model.js';

/** A summary, as its body contains it. */
export interface SummaryQuestion extends Question {
  readonly group_by: readonly string[];
  readonly measures: readonly string[];
  readonly limit: number;
  readonly sort: readonly string[];
  readonly time_zone: string;
}

type Key = string | boolean | null;

interface Part {
  readonly count: number;
  readonly [measure: string]: number | string | null;
}

/** The expected answer of a summary; other tests cover labels. */
export interface ExpectedSummary {
  readonly groups: readonly { readonly key: Readonly<Record<string, Key>>; readonly part: Part }[];
  readonly total: Part;
  readonly total_by_currency: readonly { readonly currency: string | null; readonly part: Part }[];
  readonly truncated: boolean;
}

const decimals = 12;
const unit = 10n ** BigInt(decimals);

/** A decimal number in units of 10^-12. JavaScript prints the values of these tests without an exponent. */
const toUnits = (value: number | string): bigint => {
  const [whole = '0', fraction = ''] = String(value).replace('-', '').split('.');
  const units = BigInt(whole) * unit + BigInt(fraction.padEnd(decimals, '0'));
  return String(value).startsWith('-') ? -units : units;
};

const toText = (units: bigint): string => {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -decimals)}${fraction === '' ? '' : `.${fraction}`}`;
};

/** Rounds half away from zero, to eight decimals. */
const average = (sum: bigint, count: number): string => {
  const divisor = BigInt(count) * 10_000n;
  const magnitude = sum < 0n ? -sum : sum;
  const rounded = (2n * magnitude + divisor) / (2n * divisor);
  return toText((sum < 0n ? -rounded : rounded) * 10_000n);
};

const rawValue = (record: Pick<RecordModel, 'wire'>, name: string): unknown => {
  const [field = '', part] = name.split('.');
  const value = record.wire.custom_fields[field] ?? record.wire[field];
  return part === undefined ? value : (value as Readonly<Record<string, unknown>> | undefined)?.[part];
};

const dayMs = 86_400_000;

/** Midnight in UTC of the day on which an instant is in a time zone. */
const localMidnight = (ms: number, timeZone: string): number => {
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
  const format = new Intl.DateTimeFormat('en', { timeZone, era: 'short', ...numeric });
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const year = Number(parts.get('year'));
  return new Date(0).setUTCFullYear(
    parts.get('era') === 'BC' ? 1 - year : year,
    Number(parts.get('month')) - 1,
    Number(parts.get('day')),
  );
};

/** The first day of the unit that contains a day. */
const firstDay = (ms: number, dateUnit: string): string => {
  const date = new Date(ms);
  date.setUTCHours(0, 0, 0, 0);
  if (dateUnit === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  if (dateUnit === 'month' || dateUnit === 'quarter' || dateUnit === 'year') date.setUTCDate(1);
  if (dateUnit === 'quarter') date.setUTCMonth(date.getUTCMonth() - (date.getUTCMonth() % 3));
  if (dateUnit === 'year') date.setUTCMonth(0);
  const year = date.getUTCFullYear();
  const [, ofYear] = /(-\d\d-\d\d)T/.exec(date.toISOString()) ?? [];
  return `${String(year < 1 ? 1 - year : year).padStart(4, '0')}${ofYear ?? ''}${year < 1 ? ' BC' : ''}`;
};

/** A key as a text whose order is that of time: years before 1 first, and those after 9999 last. */
const inTime = (key: Key): string =>
  String(key)
    .replace(/^.* BC$/, '!$&')
    .replace(/^\d{5}-/, ':$&');

/** Dates have no time zone, also if they are stored as midnight in UTC. */
const isDateOnly = (field: string, value: unknown): boolean =>
  typeof value === 'number'
    ? value % dayMs === 0 && (field === 'close_date' || field === 'next_action_date')
    : String(value).length === 10;

const keyOf = (record: RecordModel, name: string, timeZone: string): Key => {
  const [field = '', dateUnit] = name.split(':');
  const value = field.startsWith('account.')
    ? record.account === null
      ? null
      : rawValue(record.account, field.slice('account.'.length))
    : rawValue(record, field);
  if (value === null || value === undefined || dateUnit === undefined) return (value ?? null) as Key;
  const ms = typeof value === 'number' ? value : Date.parse(value as string);
  return firstDay(isDateOnly(field, value) ? ms : localMidnight(ms, timeZone), dateUnit);
};

/** Records have the nearest double, summaries the exact product. */
const exactWeight = ({ wire }: RecordModel): bigint =>
  (toUnits(Number(wire['amount'])) * toUnits(Number(wire['probability']))) / (unit * 100n);

const secondsToClose = ({ wire }: RecordModel): bigint | null =>
  typeof wire['closed_at'] === 'string'
    ? toUnits((Date.parse(wire['closed_at']) - Date.parse(wire['created_at'] as string)) / 1000)
    : null;

const smallestFirst = (one: bigint, other: bigint): number => (one < other ? -1 : one > other ? 1 : 0);

/** The measure of the sorted values, as a fraction: without a remainder, except for averages. */
const computed: Readonly<Record<string, (values: readonly bigint[], sum: bigint) => readonly [bigint, bigint]>> = {
  sum: (_values, sum) => [sum, 1n],
  avg: (values, sum) => [sum, BigInt(values.length)],
  min: ([first = 0n]) => [first, 1n],
  max: (values) => [values.at(-1) ?? 0n, 1n],
  median: (values) => [
    (values[Math.floor((values.length - 1) / 2)] ?? 0n) + (values[Math.floor(values.length / 2)] ?? 0n),
    2n,
  ],
  p90: (values) => [values[Math.ceil((values.length * 9) / 10) - 1] ?? 0n, 1n],
};

const measureOf = (records: readonly RecordModel[], measure: string): string | null => {
  const [compute, field = ''] = measure.split(':');
  const values = records.flatMap((record) => {
    const value = rawValue(record, field);
    if (field === 'days_to_close') return secondsToClose(record) ?? [];
    if (field === 'weighted_amount' && typeof value === 'number') return [exactWeight(record)];
    return typeof value === 'number' ? [toUnits(value)] : [];
  });
  if (values.length === 0) return null;
  const sorted = values.toSorted(smallestFirst);
  const sum = values.reduce((one, other) => one + other, 0n);
  const [dividend, divisor] = computed[compute ?? '']?.(sorted, sum) ?? [0n, 1n];
  if (field === 'days_to_close') return average(dividend, Number(divisor) * 86_400);
  return compute === 'avg' ? average(dividend, Number(divisor)) : toText(dividend / divisor);
};

const isOfMoney = (measure: string): boolean => /:(weighted_)?amount$/.test(measure);

const partOf = (records: readonly RecordModel[], measures: readonly string[]): Part => ({
  ...Object.fromEntries(
    measures.filter((measure) => measure !== 'count').map((measure) => [measure, measureOf(records, measure)]),
  ),
  count: records.length,
});

/** Compares two keys, or two measures as numbers; nulls come last in both directions. */
const compareValues = (one: Key, other: Key, isNumber: boolean, isDescending: boolean): number => {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? 1 : -1;
  const order = isNumber
    ? smallestFirst(toUnits(one as string), toUnits(other as string))
    : compareCodePoints(inTime(one), inTime(other));
  return isDescending ? -order : order;
};

interface Group {
  readonly keys: readonly Key[];
  readonly members: readonly RecordModel[];
}

type Order = Pick<SummaryQuestion, 'sort' | 'time_zone'>;

const compareGroups = (names: readonly string[], sort: readonly string[]) => {
  const orders = [...sort, 'count:desc', ...names].map((key) => /^(.*?)(?::(asc|desc))?$/.exec(key) ?? []);
  return (one: Group, other: Group): number => {
    for (const [, name = '', direction] of orders) {
      const isNumber = name === 'count' || /^(sum|avg|min|max|median|p90):/.test(name);
      const valueOf = ({ keys, members }: Group): Key =>
        name === 'count'
          ? String(members.length)
          : isNumber
            ? measureOf(members, name)
            : (keys[names.indexOf(name)] ?? null);
      const order = compareValues(valueOf(one), valueOf(other), isNumber, direction === 'desc');
      if (order !== 0) return order;
    }
    return 0;
  };
};

const groupBy = (records: readonly RecordModel[], names: readonly string[], order: Order): readonly Group[] => {
  const groups = new Map<string, { keys: Key[]; members: RecordModel[] }>();
  for (const record of records) {
    const keys = names.map((name) => keyOf(record, name, order.time_zone));
    const group = groups.get(JSON.stringify(keys)) ?? { keys, members: [] };
    group.members.push(record);
    groups.set(JSON.stringify(keys), group);
  }
  return [...groups.values()].sort(compareGroups(names, order.sort));
};

/** The summary computed in the simplest way: over the records of a search, one by one. */
export const expectedSummary = (
  all: readonly RecordModel[],
  fieldIndex: FieldIndex,
  question: SummaryQuestion,
): ExpectedSummary => {
  const { group_by: asked, measures, limit, sort, time_zone, ...search } = question;
  const ids = new Set(expectedIds(all, fieldIndex, search));
  const records = all.filter(({ id }) => ids.has(id));
  const isApart = measures.some(isOfMoney);
  const names = isApart && !asked.includes('currency') ? [...asked, 'currency'] : asked;
  const groups = names.length === 0 ? [] : groupBy(records, names, { sort, time_zone });
  const currencies = isApart ? groupBy(records, ['currency'], { sort: [], time_zone }) : [];
  const total = partOf(records, measures);
  const withAmounts = currencies.filter(({ members }) => measureOf(members, 'max:amount') !== null);
  return {
    groups: groups.slice(0, limit).map(({ keys, members }) => ({
      key: Object.fromEntries(names.map((name, index) => [name, keys[index] ?? null])),
      part: partOf(members, measures),
    })),
    total:
      withAmounts.length <= 1
        ? total
        : Object.assign({}, total, Object.fromEntries(measures.filter(isOfMoney).map((measure) => [measure, null]))),
    total_by_currency: currencies.map(({ keys: [currency], members }) => ({
      currency: currency as string | null,
      part: partOf(members, measures),
    })),
    truncated: groups.length > limit,
  };
};
