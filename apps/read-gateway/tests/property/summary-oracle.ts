import { compareCodePoints, type FieldIndex } from '@crm/domain';
import { expectedIds, type Question } from './oracle.js';
import type { RecordModel } from './record-model.js';

/** A summary, as its body contains it. */
export interface SummaryQuestion extends Question {
  readonly group_by: readonly string[];
  readonly measures: readonly string[];
  readonly limit: number;
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
const toUnits = (value: number): bigint => {
  const [whole = '0', fraction = ''] = String(Math.abs(value)).split('.');
  const units = BigInt(whole) * unit + BigInt(fraction.padEnd(decimals, '0'));
  return value < 0 ? -units : units;
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

const rawValue = (record: RecordModel, name: string): unknown => {
  const [field = '', part] = name.split('.');
  const value = record.wire.custom_fields[field] ?? record.wire[field];
  return part === undefined ? value : (value as Readonly<Record<string, unknown>> | undefined)?.[part];
};

/** The first day of the unit that contains an instant. */
const firstDay = (ms: number, dateUnit: string): string => {
  const date = new Date(ms);
  date.setUTCHours(0, 0, 0, 0);
  if (dateUnit === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  if (dateUnit === 'month' || dateUnit === 'quarter' || dateUnit === 'year') date.setUTCDate(1);
  if (dateUnit === 'quarter') date.setUTCMonth(date.getUTCMonth() - (date.getUTCMonth() % 3));
  if (dateUnit === 'year') date.setUTCMonth(0);
  return date.toISOString().slice(0, 10);
};

const keyOf = (record: RecordModel, name: string): Key => {
  const [field = '', dateUnit] = name.split(':');
  const value = rawValue(record, field) ?? null;
  if (value === null || dateUnit === undefined) return value as Key;
  return firstDay(typeof value === 'number' ? value : Date.parse(value as string), dateUnit);
};

/** Records have the nearest double, summaries the exact product. */
const exactWeight = ({ wire }: RecordModel): bigint =>
  (toUnits(Number(wire['amount'])) * toUnits(Number(wire['probability']))) / (unit * 100n);

const measureOf = (records: readonly RecordModel[], measure: string): string | null => {
  const [compute, field = ''] = measure.split(':');
  const values = records.flatMap((record) => {
    const value = rawValue(record, field);
    if (field === 'weighted_amount' && typeof value === 'number') return [exactWeight(record)];
    return typeof value === 'number' ? [toUnits(value)] : [];
  });
  const [first] = values;
  if (first === undefined) return null;
  const sum = values.reduce((one, other) => one + other, 0n);
  if (compute === 'avg') return average(sum, values.length);
  if (compute === 'min') return toText(values.reduce((one, other) => (other < one ? other : one), first));
  return toText(compute === 'max' ? values.reduce((one, other) => (other > one ? other : one), first) : sum);
};

const isOfMoney = (measure: string): boolean => /:(weighted_)?amount$/.test(measure);

const partOf = (records: readonly RecordModel[], measures: readonly string[]): Part => ({
  ...Object.fromEntries(
    measures.filter((measure) => measure !== 'count').map((measure) => [measure, measureOf(records, measure)]),
  ),
  count: records.length,
});

const groupBy = (records: readonly RecordModel[], names: readonly string[]): (readonly [Key[], RecordModel[]])[] => {
  const groups = new Map<string, [Key[], RecordModel[]]>();
  for (const record of records) {
    const keys = names.map((name) => keyOf(record, name));
    const group = groups.get(JSON.stringify(keys)) ?? [keys, []];
    group[1].push(record);
    groups.set(JSON.stringify(keys), group);
  }
  return [...groups.values()].sort(([keys, one], [otherKeys, other]) => {
    if (one.length !== other.length) return other.length - one.length;
    for (const [index, key] of keys.entries()) {
      const otherKey = otherKeys[index] ?? null;
      if (key === otherKey) continue;
      if (key === null || otherKey === null) return key === null ? 1 : -1;
      return compareCodePoints(String(key), String(otherKey));
    }
    return 0;
  });
};

/** The summary computed in the simplest way: over the records of a search, one by one. */
export const expectedSummary = (
  all: readonly RecordModel[],
  fieldIndex: FieldIndex,
  question: SummaryQuestion,
): ExpectedSummary => {
  const { group_by: asked, measures, limit, ...search } = question;
  const ids = new Set(expectedIds(all, fieldIndex, search));
  const records = all.filter(({ id }) => ids.has(id));
  const isApart = measures.some(isOfMoney);
  const names = isApart && !asked.includes('currency') ? [...asked, 'currency'] : asked;
  const groups = names.length === 0 ? [] : groupBy(records, names);
  const currencies = isApart ? groupBy(records, ['currency']) : [];
  const total = partOf(records, measures);
  const withAmounts = currencies.filter(([, members]) => measureOf(members, 'max:amount') !== null);
  return {
    groups: groups.slice(0, limit).map(([keys, members]) => ({
      key: Object.fromEntries(names.map((name, index) => [name, keys[index] ?? null])),
      part: partOf(members, measures),
    })),
    total:
      withAmounts.length <= 1
        ? total
        : Object.assign({}, total, Object.fromEntries(measures.filter(isOfMoney).map((measure) => [measure, null]))),
    total_by_currency: currencies.map(([[currency], members]) => ({
      currency: currency as string | null,
      part: partOf(members, measures),
    })),
    truncated: groups.length > limit,
  };
};
