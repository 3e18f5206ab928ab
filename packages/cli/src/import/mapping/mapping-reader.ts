import { encodings } from '../source/encodings.js';
import type { ColumnUse, MappedField, Mapping, SkipRule } from './mapping.js';
import { readField } from './mapping-field.js';
import { MappingSource, type KeyPath } from './mapping-source.js';
import { readSteps } from './mapping-steps.js';
import { asRecord, onlyKeys, readText } from './mapping-values.js';
import { findTarget, importObjects, requiredTargets, targetNames, type ImportObject } from '../targets.js';
import type { Step } from './transforms.js';

const topLevelKeys = [
  'object',
  'pipeline',
  'pipeline_id',
  'delimiter',
  'encoding',
  'stages',
  'columns',
  'skip_when',
  'fields',
];

/**
 * Reads a mapping file (YAML or JSON).
 *
 * @throws CliError (78) that names every problem with its key and line.
 */
export const readMapping = (file: string, text: string): Mapping => {
  const source = new MappingSource(file, text);
  const top = asRecord(source, [], source.value);
  onlyKeys(source, [], top, topLevelKeys);
  const object = readObject(source, top['object']);
  const columnUses: ColumnUse[] = [];
  const useColumn = (path: KeyPath, column: string): void => {
    columnUses.push({ column, place: source.place(path) });
  };
  const mapping: Mapping = {
    object,
    pipeline: readPipeline(source, object, top),
    delimiter: readDelimiter(source, top['delimiter']),
    encoding: readEncoding(source, top['encoding']),
    stages: readStages(source, top['stages']),
    columns: readColumns(source, top['columns'], useColumn),
    skipWhen: readSkipRules(source, top['skip_when'], useColumn),
    fields: readFields(source, object, top['fields'], useColumn),
    columnUses,
  };
  source.throwIfAny();
  return mapping;
};

const readObject = (source: MappingSource, value: unknown): ImportObject => {
  const object = importObjects.find((candidate) => candidate === value);
  if (object === undefined) source.problem(['object'], `must be one of ${importObjects.join(', ')}`);
  return object ?? 'opportunity';
};

const readPipeline = (
  source: MappingSource,
  object: ImportObject,
  top: Readonly<Record<string, unknown>>,
): string | undefined => {
  const keys = ['pipeline_id', 'pipeline'].filter((key) => top[key] !== undefined);
  if (keys.length > 1) source.problem(['pipeline'], 'give pipeline_id or pipeline, not both');
  const key = keys[0];
  if (key === undefined) return undefined;
  if (object !== 'opportunity') source.problem([key], 'applies only to opportunities');
  return readText(source, [key], top[key]);
};

const readDelimiter = (source: MappingSource, value: unknown): string | undefined => {
  if (value === undefined) return undefined;
  const text = readText(source, ['delimiter'], value);
  return text === 'tab' ? '\t' : text;
};

const readEncoding = (source: MappingSource, value: unknown): string | undefined => {
  if (value === undefined) return undefined;
  const encoding = encodings.find((candidate) => candidate === value);
  if (encoding === undefined) source.problem(['encoding'], `must be one of ${encodings.join(', ')}`);
  return encoding;
};

const readStages = (source: MappingSource, value: unknown): ReadonlyMap<string, string> => {
  const stages = new Map<string, string>();
  for (const [label, id] of Object.entries(asRecord(source, ['stages'], value ?? {}))) {
    const text = readText(source, ['stages', label], id);
    if (text !== undefined) stages.set(label, text);
  }
  return stages;
};

type UseColumn = (path: KeyPath, column: string) => void;

const readColumns = (
  source: MappingSource,
  value: unknown,
  useColumn: UseColumn,
): ReadonlyMap<string, readonly Step[]> => {
  const columns = new Map<string, readonly Step[]>();
  for (const [column, transforms] of Object.entries(asRecord(source, ['columns'], value ?? {}))) {
    const path = ['columns', column];
    useColumn(path, column);
    const steps = readSteps(source, path, transforms);
    if (steps.some((step) => step.kind !== 'text')) {
      source.problem(path, 'use number, boolean, date and split in the fields that read the column');
    }
    columns.set(column, steps);
  }
  return columns;
};

const readSkipRules = (source: MappingSource, value: unknown, useColumn: UseColumn): readonly SkipRule[] => {
  if (value === undefined) return [];
  const rules: readonly unknown[] = Array.isArray(value) ? value : [value];
  return rules.flatMap((rule, index) => {
    const path: KeyPath = Array.isArray(value) ? ['skip_when', index] : ['skip_when'];
    const record = asRecord(source, path, rule);
    onlyKeys(source, path, record, ['column', 'in', 'empty']);
    const column = readText(source, [...path, 'column'], record['column']);
    const listed: unknown = record['in'];
    const isEmptyRule = record['empty'] === true;
    if (isEmptyRule === Array.isArray(listed)) {
      source.problem(path, 'needs either in: [values] or empty: true');
    }
    if (column === undefined) return [];
    useColumn([...path, 'column'], column);
    const values = new Set(Array.isArray(listed) ? listed.map(String) : []);
    return [{ column, matches: (text) => (isEmptyRule ? text.trim() === '' : values.has(text)) }];
  });
};

const readFields = (
  source: MappingSource,
  object: ImportObject,
  value: unknown,
  useColumn: UseColumn,
): readonly MappedField[] => {
  const record = asRecord(source, ['fields'], value);
  const fields: MappedField[] = [];
  for (const [name, entry] of Object.entries(record)) {
    const target = findTarget(object, name);
    if (target === undefined) {
      source.problem(['fields', name], `unknown; the fields of ${object} are ${targetNames(object).join(', ')}`);
      continue;
    }
    const field = readField(source, ['fields', name], entry, target, useColumn);
    if (field !== undefined) fields.push(field);
  }
  for (const name of requiredTargets(object)) {
    if (record[name] === undefined && record['external_id'] === undefined)
      source.problem(['fields'], `${name} is missing; give it, or external_id`);
  }
  return fields;
};
