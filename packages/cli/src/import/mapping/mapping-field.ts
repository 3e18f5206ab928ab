import type { FieldSource, MappedField, Source, WhenEmpty } from './mapping.js';
import type { KeyPath, MappingSource } from './mapping-source.js';
import { endsWith, readSteps } from './mapping-steps.js';
import { asRecord, onlyKeys, readText } from './mapping-values.js';
import type { Target } from '../targets.js';
import { compileTemplate } from './template.js';
import { compileStep, type Scalar, type Step } from './transforms.js';

type UseColumn = (path: KeyPath, column: string) => void;

const sourceKeys = ['column', 'value', 'template'] as const;

/**
 * Reads one entry of `fields` and records its problems in the source. A list target or a custom field may have a list
 * of entries.
 */
export const readField = (
  source: MappingSource,
  path: KeyPath,
  entry: unknown,
  target: Target,
  useColumn: UseColumn,
): MappedField | undefined => {
  const isList = target.kind === 'list' || target.kind === 'custom';
  if (Array.isArray(entry) && !isList) {
    source.problem(path, 'takes one value; to join columns use template:');
    return undefined;
  }
  const entries: readonly unknown[] = Array.isArray(entry) ? entry : [entry];
  const sources: FieldSource[] = [];
  let whenEmpty: WhenEmpty = { kind: 'skip' };
  entries.forEach((one, index) => {
    const at = Array.isArray(entry) ? [...path, index] : path;
    const record = asRecord(source, at, one);
    onlyKeys(source, at, record, [...sourceKeys, 'transform', 'empty']);
    const read = readSource(source, at, record, useColumn);
    const steps = readSteps(source, [...at, 'transform'], record['transform']);
    if (record['empty'] !== undefined) whenEmpty = readWhenEmpty(source, [...at, 'empty'], record['empty']);
    if (read !== undefined) sources.push({ source: read, steps: stepsFor(source, at, target, read, steps) });
  });
  return { target, sources, whenEmpty };
};

const readSource = (
  source: MappingSource,
  path: KeyPath,
  record: Readonly<Record<string, unknown>>,
  useColumn: UseColumn,
): Source | undefined => {
  const given = sourceKeys.filter((key) => record[key] !== undefined);
  const key = given[0];
  if (key === undefined || given.length > 1) {
    source.problem(path, `needs exactly one of ${sourceKeys.join(', ')}`);
    return undefined;
  }
  const at = [...path, key];
  if (key === 'value') {
    const value = record[key];
    if (isScalar(value)) return { kind: 'constant', value };
    source.problem(at, 'must be a text, a number, true or false');
    return undefined;
  }
  const text = readText(source, at, record[key]);
  if (text === undefined) return undefined;
  if (key === 'column') {
    useColumn(at, text);
    return { kind: 'column', column: text };
  }
  const template = compileTemplate(text);
  if (!template.ok) {
    source.problem(at, template.message);
    return undefined;
  }
  for (const column of template.value.columns) useColumn(at, column);
  return { kind: 'template', template: template.value };
};

/** Adapts the steps to the target: an amount is always read as a number, and a date needs a format. */
const stepsFor = (
  source: MappingSource,
  path: KeyPath,
  target: Target,
  from: Source,
  steps: readonly Step[],
): readonly Step[] => {
  const isNumber = from.kind === 'constant' && typeof from.value === 'number';
  if (steps.some(({ kind }) => kind === 'split') && target.kind !== 'list' && target.kind !== 'custom') {
    source.problem(path, `split makes a list, and ${target.name} takes one value`);
  }
  if (target.kind === 'instant' && !isNumber && !endsWith(steps, 'date') && !endsWith(steps, 'number')) {
    source.problem(
      path,
      'needs a date format, such as transform: [{ date: yyyy-MM-dd }]; or number for epoch milliseconds',
    );
  }
  if (target.kind !== 'number' || isNumber || endsWith(steps, 'number')) return steps;
  const number = compileStep('number', { value: undefined });
  return number.ok ? [...steps, number.value] : steps;
};

const readWhenEmpty = (source: MappingSource, path: KeyPath, value: unknown): WhenEmpty => {
  if (value === 'skip' || value === 'reject') return { kind: value };
  if (typeof value === 'object' && value !== null && 'value' in value && isScalar(value.value)) {
    return { kind: 'value', value: value.value };
  }
  source.problem(path, 'must be skip, reject or { value: … }');
  return { kind: 'skip' };
};

const isScalar = (value: unknown): value is Scalar =>
  (typeof value === 'string' && value !== '') || typeof value === 'boolean' || Number.isFinite(value);
