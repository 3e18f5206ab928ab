import { plainDigits } from '../mapping/plain-digits.js';
import { applySteps, compileStep, type Scalar, type Step, type TransformName } from '../mapping/transforms.js';
import { findTarget, type ImportObject } from '../targets.js';
import { yamlText } from '../../yaml-file.js';
import { mostMatch } from './column-names.js';
import { currenciesOf, dateFormats, likelyUnits, numberFormats } from './formats.js';

/** The guessed transforms of a column as text of a mapping, and what the user must know about them. */
export interface GuessedTransforms {
  /** `[{ number: { group: ',' } }]`; empty if none is needed. */
  readonly transform: string;
  /** What the user must decide: two readings of a cell, or the one of a cell that is no plain value. */
  readonly doubts: readonly string[];
  /** What the import will reject. */
  readonly notes: readonly string[];
  /** For amounts: a cell by each sign or code of a currency. */
  readonly signs?: ReadonlyMap<string, string>;
}

/** A transform of a mapping: its name, or its name and argument. */
type Entry = TransformName | Readonly<Partial<Record<TransformName, unknown>>>;

/** A candidate for a column, with its value of each cell; undefined for the cells that it does not fit. */
interface Reading {
  readonly entries: readonly Entry[];
  readonly values: readonly (string | undefined)[];
  readonly isRare: boolean;
  readonly name: string;
}

const shown = (text: string | undefined): string => JSON.stringify(text);

const flow = (entries: readonly Entry[]): string =>
  entries.length === 0 ? '' : yamlText(entries, { collectionStyle: 'flow' }).trim();

const shownValue = (value: Scalar, isDate: boolean): string =>
  isDate ? new Date(Number(value)).toISOString().replace(/T00:00:00\.000Z$|:00\.000Z$/, '') : String(value);

const readColumn = (texts: readonly string[], entries: readonly Entry[], shape?: RegExp, isRare = false): Reading => {
  const compiled = entries.map((entry) => {
    const [[name, argument] = ['trim', {}]] = Object.entries(typeof entry === 'string' ? { [entry]: {} } : entry);
    return compileStep(name as TransformName, argument);
  });
  const steps = compiled.flatMap((step): Step[] => (step.ok ? [step.value] : []));
  const isValid = steps.length === compiled.length;
  const isDate = steps.some(({ name }) => name === 'date');
  const values = texts.map((text) => {
    const value = isValid && (shape === undefined || shape.test(text.trim())) ? applySteps(steps, text) : undefined;
    return value?.ok === true && value.value[0] !== undefined ? shownValue(value.value[0], isDate) : undefined;
  });
  const format = Object.values(typeof entries[0] === 'object' ? entries[0] : {})[0];
  return { entries, values, isRare, name: typeof format === 'string' ? format : flow(entries) };
};

/**
 * The one rule for CHECK. The reading that fits the most cells is written, and is in doubt if another one fits as many
 * cells with other values, or reads a cell that this one does not fit. Undefined if none fits half of the cells.
 */
const decide = (texts: readonly string[], readings: readonly Reading[]): (GuessedTransforms & Reading) | undefined => {
  const count = ({ values }: Reading): number => values.filter((value) => value !== undefined).length;
  const most = Math.max(0, ...readings.map(count));
  if (most * 2 < texts.length || most === 0) return undefined;
  const fitting = readings.filter((reading) => count(reading) === most);
  const usual = fitting.some(({ isRare }) => !isRare) ? fitting.filter(({ isRare }) => !isRare) : fitting;
  const [best, ...others] = usual as [Reading, ...Reading[]];
  const missed = best.values.flatMap((value, index) => (value === undefined ? [index] : []));
  const doubts = new Map<string, string>();
  for (const reading of readings) {
    const { values, name } = reading;
    const isRival = others.includes(reading);
    const at = values.findIndex((value, index) => {
      const own = best.values[index];
      return value !== undefined && value !== own && (isRival || own === undefined);
    });
    if (at === -1 || doubts.has(values.join())) continue;
    const own = best.values[at] === undefined ? `does not fit ${best.name}` : `is ${best.values[at]}`;
    doubts.set(values.join(), `${shown(texts[at])} ${own}, or ${values[at]} with ${name}`);
  }
  const other = missed.find((index) => readings.every(({ values }) => values[index] === undefined));
  return {
    ...best,
    transform: flow(best.entries),
    doubts: [...doubts.values()].slice(0, 3),
    notes:
      other === undefined ? [] : [`does not fit ${missed.length} of ${texts.length} values: ${shown(texts[other])}`],
  };
};

/** The words before and after the digits of a cell, without minus signs: `-€ 1.5k` → `€`, `k`. */
const wordsAt = (cell: string): string[] => {
  const text = plainDigits(cell);
  if (/^\(.*\)$/s.test(text)) return ['()', ...wordsAt(text.slice(1, -1))];
  if (/\d\s*-$/.test(text)) return ['-', ...wordsAt(text.slice(0, -1))];
  const [, before = '', after = ''] = /^([^\d]*?)[+-]?\s*[.,]?\d(?:.*\d)?([^\d]*)$/s.exec(text) ?? [];
  return [before.replace(/^[+-]/, ''), after].flatMap(unitsIn);
};

/** Separates a sign of a currency and a word: `k€` → `k` and `€`. */
export const unitsIn = (word: string): string[] => {
  const text = word.trim();
  if (text === '' || currenciesOf(text) !== undefined) return text === '' ? [] : [text];
  const at = [...text].findIndex(
    (_, index) => index > 0 && isKnown(text.slice(0, index)) && isKnown(text.slice(index)),
  );
  return at === -1 ? [text] : [text.slice(0, at).trim(), text.slice(at).trim()];
};

const isKnown = (text: string): boolean => currenciesOf(text.trim()) !== undefined || text.trim() in likelyUnits;

const guessNumber = (texts: readonly string[], isCustom: boolean): GuessedTransforms => {
  const cells = new Map<string, string>();
  for (const text of texts) for (const word of wordsAt(text)) if (!cells.has(word)) cells.set(word, text);
  const words = [...cells.keys()];
  const factors = Object.fromEntries(words.map((word) => [word, currenciesOf(word) ? 1 : (likelyUnits[word] ?? 1)]));
  const units = words.length === 0 ? {} : { units: factors };
  const decided = decide(
    texts,
    numberFormats.map((format) => readColumn(texts, [{ number: { ...format, ...units } }])),
  );
  const [first] = texts;
  if (decided === undefined)
    return {
      transform: '',
      doubts: first === undefined ? [] : [`${shown(first)} is not a number of a known format`],
      notes: [],
    };
  const unusual = [...cells].filter(([word]) => word !== '%' && currenciesOf(word) === undefined);
  const meanings = unusual.map(([, cell]) => `${shown(cell)} is read as ${decided.values[texts.indexOf(cell)]}`);
  const isPlain = decided.transform === '[ { number: {} } ]';
  return {
    transform: isPlain ? (isCustom ? '[ number ]' : '') : decided.transform,
    doubts: [...meanings, ...decided.doubts],
    notes: decided.notes,
    signs: new Map([...cells].filter(([word]) => currenciesOf(word) !== undefined)),
  };
};

const guessDate = (texts: readonly string[]): GuessedTransforms => {
  const readings = dateFormats.map(({ format, shape, isRare }) => readColumn(texts, [{ date: format }], shape, isRare));
  const decided = decide(texts, readings);
  const unclear = { transform: flow([{ date: 'yyyy-MM-dd' }]), notes: [] };
  if (texts.length === 0) return { ...unclear, doubts: [], notes: ['no value shows the format'] };
  if (decided === undefined) return { ...unclear, doubts: [`enter the format of ${shown(texts[0])}`] };
  const far = decided.values.findIndex((value) => value !== undefined && !/^(19|20|21)/.test(value));
  const year = far === -1 ? [] : [`${shown(texts[far])} is ${decided.values[far]}`];
  return { ...decided, doubts: [...year, ...decided.doubts] };
};

/** The first cell that a single transform cannot read, or reads in another way than it is. */
const guessSingle = (texts: readonly string[], ...entries: Entry[]): GuessedTransforms => ({
  transform: flow(entries),
  doubts:
    decide(texts, [readColumn(texts, entries)])?.notes ??
    (texts.length === 0 ? [] : [`cannot read ${shown(texts[0])}`]),
  notes: [],
});

/** The kinds of custom fields whose values are not texts, by their types. */
const customKinds: Readonly<Record<string, 'number' | 'instant' | 'list' | 'boolean'>> = {
  ...{ number: 'number', currency: 'number', percentage: 'number', rating: 'number', checkbox: 'boolean' },
  ...{ timestamp: 'instant', date: 'instant', datetime: 'instant', multi_select: 'list', team_members: 'list' },
};

const separators = [' ::: ', ';', '|', ','];

const guessAddress = (field: string, texts: readonly string[], isList: boolean): GuessedTransforms => {
  const several = texts.find((text) => text.split('@').length > 2);
  const separator = separators.find((sign) => several?.includes(sign));
  if (field === 'owner_email' && !mostMatch(texts, (text) => text.includes('@')))
    return {
      transform: flow([{ email_local: 'example.com' }]),
      doubts: ['enter the domain of your members'],
      notes: [],
    };
  const wrapped: Entry[] = texts.some((text) => /<|mailto:|\(/i.test(text)) ? ['email'] : [];
  if (isList) return { transform: flow([{ split: separator ?? ';' }, ...wrapped]), doubts: [], notes: [] };
  const first: Entry[] = separator === undefined ? [] : [{ first_of: separator }];
  const left = several === undefined ? [] : [`only the first address of ${shown(several)} is imported`];
  return { transform: flow([...first, ...wrapped]), doubts: left, notes: [] };
};

/**
 * Guesses the transforms of a column from some of its values.
 *
 * `['1.234,56 €', '7,00 €']` for an amount → `[ { number: { decimal: ",", group: ., units: { €: 1 } } } ]`
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
  if (kind === 'boolean') return guessSingle(texts, 'boolean');
  if (/emails?$/.test(field) || customType === 'email') return guessAddress(field, texts, kind === 'list');
  if (kind !== 'list') return { transform: '', doubts: [], notes: [] };
  return {
    transform: flow([{ split: separators.find((sign) => texts.some((text) => text.includes(sign))) ?? ';' }]),
    doubts: [],
    notes: [],
  };
};
