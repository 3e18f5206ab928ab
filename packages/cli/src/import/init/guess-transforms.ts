import { isBlank } from '@crm/domain';

import { plainDigits } from '../mapping/plain-digits.js';
import { applySteps, compileStep, type TransformName } from '../mapping/transforms.js';
import { findTarget, type ImportObject } from '../targets.js';
import { yamlText } from '../../yaml-file.js';
import { mostMatch } from './column-names.js';
import { currenciesOf, dateFormats, likelyUnits, numberFormats } from './formats.js';

/** The guessed transforms of a column as text of a mapping, and what the user must know about them. */
export interface GuessedTransforms {
  /** `[ { number: { group: "," } } ]`; empty if none is needed. */
  readonly transform: string;
  /** What the user must decide: two readings of a cell, or the one of a cell that is no plain value. */
  readonly doubts: readonly string[];
  /** What the import will reject. */
  readonly notes: readonly string[];
  /** For amounts: a cell by each sign or code of a currency. */
  readonly signs?: ReadonlyMap<string, string>;
  /** For links: a cell with several addresses or ids, of which this takes the first. */
  readonly several?: string;
}

/** A transform of a mapping: its name, or its name and argument. */
type Entry = TransformName | Readonly<Partial<Record<TransformName, unknown>>>;

/** A candidate for a column, with its value of each cell; undefined for the cells that it does not fit. */
interface Reading {
  readonly entry: Entry;
  readonly values: readonly (string | undefined)[];
  readonly fits: number;
  readonly isRare: boolean;
}

const shown = (text: string | undefined): string => JSON.stringify(text);

const flow = (...entries: readonly Entry[]): string =>
  entries.length === 0 ? '' : yamlText(entries, { collectionStyle: 'flow' }).trim();

const readColumn = (texts: readonly string[], entry: Entry, shape = /./, isRare = false): Reading => {
  const [[name, argument] = ['trim', {}]] = Object.entries(typeof entry === 'string' ? { [entry]: {} } : entry);
  const step = compileStep(name as TransformName, argument);
  const steps = step.ok ? [step.value] : [];
  const values = texts.map((text) => {
    const read = step.ok && shape.test(text.trim()) ? applySteps(steps, text) : undefined;
    if (read?.ok !== true || read.value[0] === undefined) return undefined;
    if (name !== 'date') return String(read.value[0]);
    return new Date(read.value[0] as string | number).toISOString().replace(/T00:00:00\.000Z$|:00\.000Z$/, '');
  });
  return { entry, values, fits: values.filter((value) => value !== undefined).length, isRare };
};

const nameOf = ({ entry }: Reading): string =>
  typeof entry === 'object' && typeof entry.date === 'string' ? entry.date : flow(entry);

/**
 * The one rule for CHECK. The reading that fits the most cells is written, and is in doubt if another one fits as many
 * cells with other values, or reads a cell that this one does not fit. Undefined if none fits half of the cells.
 */
const decide = (texts: readonly string[], readings: readonly Reading[]): (GuessedTransforms & Reading) | undefined => {
  const [best] = [...readings].sort((one, other) => other.fits - one.fits || Number(one.isRare) - Number(other.isRare));
  if (best === undefined || best.fits === 0 || best.fits * 2 < texts.length) return undefined;
  const doubts = new Map<string, string>();
  for (const reading of readings) {
    const isRival = reading.fits === best.fits && (best.isRare || !reading.isRare);
    const at = reading.values.findIndex((value, index) => {
      const own = best.values[index];
      return value !== undefined && value !== own && (isRival || own === undefined);
    });
    if (at === -1) continue;
    const own = best.values[at] === undefined ? `does not fit ${nameOf(best)}` : `is ${best.values[at]}`;
    const other = `${at} ${reading.values[at]}`;
    if (!doubts.has(other))
      doubts.set(other, `${shown(texts[at])} ${own}, or ${reading.values[at]} with ${nameOf(reading)}`);
  }
  const lost = texts.find((_, index) => readings.every(({ values }) => values[index] === undefined));
  const missed = texts.length - best.fits;
  const notes = lost === undefined ? [] : [`does not fit ${missed} of ${texts.length} values: ${shown(lost)}`];
  return { ...best, transform: flow(best.entry), doubts: [...doubts.values()].slice(0, 3), notes };
};

const isCurrency = (word: string): boolean => currenciesOf(word) !== undefined;
const isKnown = (word: string): boolean => isCurrency(word) || likelyUnits.has(word);

/** Separates words, and signs of currencies from other words: `k€` → `k`, `€`; `USD/month` → `USD`, `/month`. */
export const unitsIn = (text: string): string[] =>
  text.split(/\s+/).flatMap((word) => {
    if (word === '' || isKnown(word)) return word === '' ? [] : [word];
    const parts = [...word].map((_, index): [string, string] => [word.slice(0, index), word.slice(index)]).slice(1);
    const pair = parts.find((both) => both.every(isKnown)) ?? parts.find((both) => both.some(isCurrency));
    return pair ?? [word];
  });

/** The words before and after the digits of a cell, without minus signs: `-€ 1.5k` → `€`, `k`. */
const wordsAt = (cell: string): string[] => {
  const text = plainDigits(cell);
  if (/^\(.*\)$/s.test(text)) return ['()', ...wordsAt(text.slice(1, -1))];
  if (/\d\s*-$/.test(text)) return ['-', ...wordsAt(text.slice(0, -1))];
  const [, before = '', after = ''] = /^([^\d]*?)[+-]?\s*[.,]?\d(?:.*\d)?([^\d]*)$/s.exec(text) ?? [];
  return [before.replace(/^[+-]/, ''), after].flatMap(unitsIn);
};

const guessNumber = (texts: readonly string[], isCustom: boolean): GuessedTransforms => {
  const cells = new Map<string, string>();
  for (const text of texts) for (const word of wordsAt(text)) if (!cells.has(word)) cells.set(word, text);
  const factor = (word: string): number => (isCurrency(word) ? 1 : (likelyUnits.get(word) ?? 1));
  const units =
    cells.size === 0 ? {} : { units: Object.fromEntries([...cells.keys()].map((word) => [word, factor(word)])) };
  const readings = numberFormats.map((format) => readColumn(texts, { number: { ...format, ...units } }));
  const decided = decide(texts, readings);
  if (decided === undefined)
    return {
      transform: '',
      doubts: texts.slice(0, 1).map((cell) => `${shown(cell)} is not a number of a known format`),
      notes: [],
    };
  const unusual = [...cells].filter(([word]) => word !== '%' && !isCurrency(word));
  const meanings = unusual.map(([, cell]) => `${shown(cell)} is read as ${decided.values[texts.indexOf(cell)]}`);
  const isPlain = decided.transform === flow({ number: {} });
  return {
    ...decided,
    transform: isPlain ? (isCustom ? flow('number') : '') : decided.transform,
    doubts: [...meanings, ...decided.doubts],
    signs: new Map([...cells].filter(([word]) => isCurrency(word))),
  };
};

const guessDate = (texts: readonly string[]): GuessedTransforms => {
  const readings = dateFormats.map(({ format, shape, isRare }) => readColumn(texts, { date: format }, shape, isRare));
  const decided = decide(texts, readings);
  const unclear = { transform: flow({ date: 'yyyy-MM-dd' }), notes: [] };
  if (texts.length === 0) return { ...unclear, doubts: [], notes: ['no value shows the format'] };
  if (decided === undefined) return { ...unclear, doubts: [`enter the format of ${shown(texts[0])}`] };
  const far = decided.values.findIndex((value) => value !== undefined && !/^(19|20|21)/.test(value));
  const year = far === -1 ? [] : [`${shown(texts[far])} is ${decided.values[far]}`];
  return { ...decided, doubts: [...year, ...decided.doubts] };
};

const guessBoolean = (texts: readonly string[]): GuessedTransforms => {
  const decided = decide(texts, [readColumn(texts, 'boolean')]);
  const doubts = decided?.notes ?? texts.slice(0, 1).map((cell) => `cannot read ${shown(cell)}`);
  return { transform: flow('boolean'), doubts, notes: [] };
};

const separators = [' ::: ', ';', '|', ','];

/** Addresses, domains, ids and lists: cells with several of them. */
const guessParts = (
  field: string,
  texts: readonly string[],
  isList: boolean,
  isAddress: boolean,
): GuessedTransforms => {
  if (field === 'owner_email' && !mostMatch(texts, (text) => text.includes('@')))
    return { transform: flow({ email_local: 'example.com' }), doubts: ['enter the domain of your members'], notes: [] };
  const cell = texts.find((text) =>
    isAddress ? text.split('@').length > 2 : separators.some((sign) => text.includes(sign)),
  );
  const separator = separators.find((sign) => cell?.includes(sign));
  const wrapped: Entry[] = isAddress && texts.some((text) => /<|mailto:|\(/i.test(text)) ? ['email'] : [];
  if (isList) return { transform: flow({ split: separator ?? ';' }, ...wrapped), doubts: [], notes: [] };
  if (cell === undefined || separator === undefined) return { transform: flow(...wrapped), doubts: [], notes: [] };
  const noun = isAddress ? 'address' : /domain$/.test(field) ? 'domain' : 'id';
  const doubts = [`only the first ${noun} of ${shown(cell)} is imported`];
  return { transform: flow({ first_of: separator }, ...wrapped), doubts, notes: [], several: cell };
};

/** A long number without its last digits, such as `1.23E+17`, and errors of formulas. */
const ruined = /^\d([.,]\d+)?E\+\d+$|^#([A-Z/0]+[!?A]|#+)$/i;

/** The kinds of custom fields whose values are not texts, by their types. */
const customKinds: Readonly<Record<string, 'number' | 'instant' | 'list' | 'boolean'>> = {
  ...{ number: 'number', currency: 'number', percentage: 'number', rating: 'number', checkbox: 'boolean' },
  ...{ timestamp: 'instant', date: 'instant', datetime: 'instant', multi_select: 'list', team_members: 'list' },
};

/**
 * Guesses the transforms of a column from some of its values.
 *
 * `['1.234,56 €', '7,00 €']` for an amount → `[ { number: { decimal: ",", group: ".", units: { €: 1 } } } ]`
 *
 * @param customType - the type of a custom field
 */
export const guessTransforms = (
  object: ImportObject,
  field: string,
  values: readonly string[],
  customType?: string,
): GuessedTransforms => {
  const texts = values.filter((text) => !isBlank(text));
  const kind = customType === undefined ? findTarget(object, field)?.kind : customKinds[customType];
  if (kind === 'number') {
    const guess = guessNumber(texts, customType !== undefined);
    const isShare = customType === 'percentage' && texts.every((text) => /^[01]?([.,]\d+)?$/.test(text.trim()));
    const share = texts.find((text) => isShare && /[.,]/.test(text));
    return share === undefined
      ? guess
      : { ...guess, doubts: [...guess.doubts, `${shown(share)} is a share of 100, not of 1`] };
  }
  if (kind === 'instant') return guessDate(texts);
  if (kind === 'boolean') return guessBoolean(texts);
  const isAddress = /email/.test(field) || customType === 'email';
  const hasParts = kind === 'list' || isAddress || /_external_id$|domain$/.test(field);
  const guess = hasParts
    ? guessParts(field, texts, kind === 'list', isAddress)
    : { transform: '', doubts: [], notes: [] };
  const ruin = texts.find((text) => ruined.test(text.trim()));
  return ruin === undefined
    ? guess
    : { ...guess, doubts: [...guess.doubts, `${shown(ruin)} is what a spreadsheet program made of another value`] };
};
