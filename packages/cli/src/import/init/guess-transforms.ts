import { stringify } from 'yaml';

import { findTarget, type ImportObject } from '../targets.js';
import { compileStep, type TransformName } from '../mapping/transforms.js';

/** The guessed transforms of a column as text of a mapping, and a remark for the user to check. */
export interface GuessedTransforms {
  /** `[{ strip: € }, { number: { group: ',' } }]`; empty if none is needed. */
  readonly transform: string;
  readonly remark: string;
}

type Transform = readonly [TransformName, unknown];

const none: GuessedTransforms = { transform: '', remark: '' };

const reads = ([name, value]: Transform, texts: readonly string[]): boolean => {
  const step = compileStep(name, { value });
  if (!step.ok || step.value.kind === 'split') return false;
  const { apply } = step.value;
  return texts.every((text) => apply(text).ok);
};

const flow = (transforms: readonly Transform[]): string =>
  stringify(
    transforms.map(([name, value]) => (value === true ? name : { [name]: value })),
    { collectionStyle: 'flow', lineWidth: 0 },
  ).trim();

const numberFormats: readonly unknown[] = [
  true,
  { group: ',' },
  { decimal: ',', group: '.' },
  { decimal: ',', group: ' ' },
  { decimal: ',', group: '\u00a0' },
  { decimal: ',', group: '\u202f' },
  { group: "'" },
  { group: '’' },
];

const guessNumber = (texts: readonly string[]): GuessedTransforms => {
  // The text before or after the digits: signs and names of currencies.
  const signs = [...new Set(texts.flatMap((text) => text.match(/[^\d\s.,'’+-]+/gu) ?? []))].sort();
  const stripped = texts.map((text) => signs.reduce((rest, sign) => rest.replaceAll(sign, ''), text));
  const format = numberFormats.find((candidate) => reads(['number', candidate], stripped));
  if (format === undefined) return { transform: '', remark: 'the values are not numbers of one format' };
  if (signs.length === 0 && format === true) return none;
  const strip: readonly Transform[] = signs.length === 0 ? [] : [['strip', signs.length === 1 ? signs[0] : signs]];
  const number: readonly Transform[] = format === true ? [] : [['number', format]];
  return { transform: flow([...strip, ...number]), remark: '' };
};

const dateFormats = [
  'yyyy-MM-dd',
  'M/d/yyyy',
  'd/M/yyyy',
  'd.M.yyyy',
  'yyyy/M/d',
  'd-M-yyyy',
  'M/d/yy',
  'd.M.yy',
  'yyyy-MM-dd HH:mm',
  'yyyy-MM-dd HH:mm:ss',
  'yyyy-MM-ddTHH:mm:ssZ',
  'M/d/yyyy H:mm',
  'd.M.yyyy H:mm',
] as const;

const guessDate = (texts: readonly string[]): GuessedTransforms => {
  if (texts.length === 0) return { transform: flow([['date', 'yyyy-MM-dd']]), remark: 'no value shows the format' };
  const [format, other] = dateFormats.filter((candidate) => reads(['date', candidate], texts));
  if (format === undefined) {
    return { transform: flow([['date', 'yyyy-MM-dd']]), remark: `enter the format of ${JSON.stringify(texts[0])}` };
  }
  return {
    transform: flow([['date', format]]),
    remark: other === undefined ? '' : `or ${other}: the values match both`,
  };
};

/**
 * Guesses the transforms of a column from some of its values.
 *
 * `['1.234,56 €', '7,00 €']` for an amount → `[ { strip: € }, { number: { decimal: ",", group: . } } ]`
 */
export const guessTransforms = (object: ImportObject, field: string, values: readonly string[]): GuessedTransforms => {
  const texts = values.filter((text) => text.trim() !== '');
  const kind = findTarget(object, field)?.kind;
  if (kind === 'number') return guessNumber(texts);
  if (kind === 'instant') return guessDate(texts);
  if (kind === 'list')
    return { transform: flow([['split', texts.some((text) => text.includes(';')) ? ';' : ',']]), remark: '' };
  if (field === 'owner_email' && !texts.every((text) => text.includes('@'))) {
    return { transform: flow([['email_local', 'example.com']]), remark: 'enter the domain of your members' };
  }
  return none;
};
