import { stringify } from 'yaml';

import { findTarget, type ImportObject } from '../targets.js';
import { compileStep, type TransformName } from '../mapping/transforms.js';
import { mostMatch } from './column-names.js';

/** The guessed transforms of a column as text of a mapping, and a remark for the user to check. */
export interface GuessedTransforms {
  /** `[{ strip: € }, { number: { group: ',' } }]`; empty if none is needed. */
  readonly transform: string;
  readonly remark: string;
}

type Transform = readonly [TransformName, unknown];

/** The argument of a transform that a mapping names alone. */
const plain = {};

const none: GuessedTransforms = { transform: '', remark: '' };

const flow = (transforms: readonly Transform[]): string =>
  transforms.length === 0
    ? ''
    : stringify(
        transforms.map(([name, value]) => (value === plain ? name : { [name]: value })),
        { collectionStyle: 'flow', lineWidth: 0 },
      ).trim();

/** A format, and how it reads the texts of a column. */
interface Reading {
  readonly format: unknown;
  /** The values; undefined for the texts that it does not fit. */
  readonly values: readonly (number | undefined)[];
  readonly count: number;
  readonly sum: number;
}

/** The formats that fit the most texts, at least half of them. */
const bestReadings = (name: 'number' | 'date', formats: readonly unknown[], texts: readonly string[]): Reading[] => {
  const readings = formats.map((format): Reading => {
    const step = compileStep(name, format);
    const values = texts.map((text) => {
      const value = step.ok ? step.value.apply(text) : step;
      return value.ok ? Number(value.value) : undefined;
    });
    const read = values.filter((value) => value !== undefined);
    return { format, values, count: read.length, sum: read.reduce((sum, value) => sum + Math.abs(value), 0) };
  });
  const most = Math.max(...readings.map(({ count }) => count));
  return most * 2 < Math.max(texts.length, 1) ? [] : readings.filter(({ count }) => count === most);
};

/** Reports the texts that a format does not fit. */
const misfits = ({ values, count }: Reading, texts: readonly string[]): string[] =>
  count === texts.length
    ? []
    : [`does not fit ${texts.length - count} of ${texts.length} values: ${shown(texts[values.indexOf(undefined)])}`];

const shown = (text: string | undefined): string => JSON.stringify(text);

const numberFormats: readonly object[] = [
  plain,
  ...[',', "'", '’'].map((group) => ({ group })),
  ...['.', ' ', '\u00a0', '\u202f'].map((group) => ({ decimal: ',', group })),
];

const guessNumber = (texts: readonly string[], isCustom: boolean): GuessedTransforms => {
  // The text before and after the digits: signs and names of currencies. A rare one is not removed, because it may be
  // another currency.
  const edges = /^[^\d.,+()-]+(?=.*\d)|(?<=\d)[^\d.,()-]+$/gu;
  const words = texts.flatMap((text) => text.trim().match(edges) ?? []).flatMap((word) => word.trim() || []);
  const signs = [...new Set(words)].filter((sign) => words.filter((word) => word === sign).length * 10 > words.length);
  const stripped = texts.map((text) => signs.reduce((rest, sign) => rest.replaceAll(sign, ''), text));
  // If 1.234 can be read in two ways, it is 1234 more often: amounts seldom have three decimals.
  const readings = bestReadings('number', numberFormats, stripped).sort((one, other) => other.sum - one.sum);
  const [best, last] = [readings[0], readings.at(-1)];
  if (best === undefined || last === undefined)
    return { transform: '', remark: texts.length === 0 ? '' : 'the values are not numbers of one format' };
  const at = best.values.findIndex((value, index) => value !== last.values[index]);
  const doubt = at === -1 ? [] : [`${shown(texts[at])} is read as ${best.values[at]}, not ${last.values[at]}`];
  const transforms: Transform[] = best.format === plain && !isCustom ? [] : [['number', best.format]];
  if (signs.length > 0) transforms.unshift(['strip', signs.length === 1 ? signs[0] : signs.sort()]);
  return { transform: flow(transforms), remark: [...doubt, ...misfits(best, texts)].join('; ') };
};

const dateFormats = [
  ...['yyyy-MM-dd', 'M/d/yyyy', 'd/M/yyyy', 'd.M.yyyy', 'yyyy/M/d', 'd-M-yyyy', 'M/d/yy', 'd.M.yy', 'yyyy-MM-dd HH:mm'],
  ...['yyyy-MM-dd HH:mm:ss', 'yyyy-MM-ddTHH:mm:ssZ', 'M/d/yyyy H:mm', 'd.M.yyyy H:mm'],
];

const guessDate = (texts: readonly string[]): GuessedTransforms => {
  const [best, other] = bestReadings('date', dateFormats, texts);
  if (best === undefined) {
    const remark = texts.length === 0 ? 'no value shows the format' : `enter the format of ${shown(texts[0])}`;
    return { transform: flow([['date', 'yyyy-MM-dd']]), remark };
  }
  const doubt = other === undefined ? [] : [`or ${String(other.format)}: the values match both`];
  return { transform: flow([['date', best.format]]), remark: [...doubt, ...misfits(best, texts)].join('; ') };
};

/** The kinds of custom fields whose values are not texts, by their types. */
const customKinds: Readonly<Record<string, 'number' | 'instant' | 'list' | 'boolean'>> = {
  number: 'number',
  currency: 'number',
  percentage: 'number',
  rating: 'number',
  timestamp: 'instant',
  date: 'instant',
  datetime: 'instant',
  multi_select: 'list',
  team_members: 'list',
  checkbox: 'boolean',
};

/**
 * Guesses the transforms of a column from some of its values.
 *
 * `['1.234,56 €', '7,00 €']` for an amount → `[ { strip: € }, { number: { decimal: ",", group: . } } ]`
 *
 * @param customType - the type of a custom field
 */
export const guessTransforms = (
  object: ImportObject,
  field: string,
  values: readonly string[],
  customType?: string,
): GuessedTransforms => {
  const texts = values.filter((text) => text.trim() !== '');
  const kind = customType === undefined ? findTarget(object, field)?.kind : customKinds[customType];
  if (kind === 'number') return guessNumber(texts, customType !== undefined);
  if (kind === 'instant') return guessDate(texts);
  if (kind === 'boolean') return { transform: flow([['boolean', plain]]), remark: '' };
  if (kind === 'list')
    return { transform: flow([['split', texts.some((text) => text.includes(';')) ? ';' : ',']]), remark: '' };
  if (field === 'owner_email' && !mostMatch(texts, (text) => text.includes('@'))) {
    return { transform: flow([['email_local', 'example.com']]), remark: 'enter the domain of your members' };
  }
  return none;
};
