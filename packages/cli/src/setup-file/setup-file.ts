import {
  attributeTypes,
  normalizeEmail,
  normalizeName,
  objectTypes,
  parseColor,
  parseCurrencyCode,
  parseSlug,
  type AttributeType,
  type ObjectType,
  type Result,
} from '@crm/domain';

import { MappingSource, type KeyPath } from '../import/mapping/mapping-source.js';
import { asRecord, onlyKeys } from '../import/mapping/mapping-values.js';

/** A stage in a setup file. Undefined values stay unchanged. */
export interface FileStage {
  readonly label: string;
  /** Its label before a rename. */
  readonly was: string | undefined;
  readonly color: string | undefined;
  readonly probability: number | undefined;
  readonly isDefault: boolean | undefined;
  readonly archived: boolean | undefined;
}

/** A pipeline of a setup file. */
export interface FilePipeline {
  readonly name: string;
  readonly was: string | undefined;
  readonly archived: boolean | undefined;
  readonly stages: readonly FileStage[];
}

/** A member of a setup file. */
export interface FileMember {
  readonly email: string;
  readonly was: string | undefined;
  readonly name: string | undefined;
  /** Whether it is a former member. */
  readonly archived: boolean | undefined;
}

/** A custom field of a setup file. */
export interface FileField {
  readonly path: KeyPath;
  readonly object: ObjectType;
  readonly slug: string;
  readonly name: string;
  readonly type: AttributeType;
  /** As in the file. They are validated together with the type. */
  readonly options: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly currency: string | undefined;
  readonly max: number | undefined;
  /** Names of pipelines. Undefined: all pipelines for a new field, unchanged for an existing one. */
  readonly pipelines: readonly string[] | undefined;
  readonly hidden: boolean | undefined;
  readonly archived: boolean | undefined;
}

/** The contents of a setup file. */
export interface SetupFile {
  /** Undefined: stays unchanged. Null: no default currency. */
  readonly currency: string | null | undefined;
  readonly members: readonly FileMember[];
  readonly pipelines: readonly FilePipeline[];
  readonly fields: readonly FileField[];
}

type Values = Readonly<Record<string, unknown>>;

/** Reads the values of a file and collects every fault with its line. */
class Reader {
  constructor(readonly source: MappingSource) {}

  record(path: KeyPath, value: unknown, keys: readonly string[]): Values {
    const record = asRecord(this.source, path, value);
    onlyKeys(this.source, path, record, [...keys]);
    return record;
  }

  list<T>(top: Values, path: KeyPath, read: (value: unknown, path: KeyPath) => T): readonly T[] {
    const value = top[String(path.at(-1))] ?? [];
    if (Array.isArray(value)) return value.map((entry: unknown, index) => read(entry, [...path, index]));
    this.source.problem(path, 'must be a list');
    return [];
  }

  parsed<T>(values: Values, path: KeyPath, key: string, parse: (text: string) => Result<T>): T | undefined {
    const value = values[key];
    if (value === undefined || value === null) return undefined;
    const result = typeof value === 'string' ? parse(value) : { ok: false as const, message: 'must be a text' };
    if (result.ok) return result.value;
    this.source.problem([...path, key], result.message);
    return undefined;
  }

  required<T>(values: Values, path: KeyPath, key: string, parse: (text: string) => Result<T>, fallback: T): T {
    if (values[key] === undefined || values[key] === null) {
      this.source.problem([...path, key], 'is missing');
      return fallback;
    }
    return this.parsed(values, path, key, parse) ?? fallback;
  }

  flag(values: Values, path: KeyPath, key: string): boolean | undefined {
    const value = values[key];
    if (value === undefined || typeof value === 'boolean') return value;
    this.source.problem([...path, key], 'must be true or false');
    return undefined;
  }

  number(values: Values, path: KeyPath, key: string, most: number): number | undefined {
    const value = values[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'number' && value >= 0 && value <= most) return value;
    this.source.problem([...path, key], `must be a number from 0 to ${most}`);
    return undefined;
  }

  unique<T>(list: readonly T[], path: KeyPath, key: string, nameOf: (one: T) => string): readonly T[] {
    const seen = new Set<string>();
    for (const [index, one] of list.entries()) {
      const name = nameOf(one);
      if (name !== '' && seen.has(name)) this.source.problem([...path, index, key], `"${name}" is given twice`);
      seen.add(name);
    }
    return list;
  }
}

const oneOf =
  <const T extends string>(names: readonly T[]) =>
  (text: string): Result<T> => {
    const found = names.find((name) => name === text);
    return found === undefined
      ? { ok: false, message: `must be one of ${names.join(', ')}` }
      : { ok: true, value: found };
  };

const email = (text: string): Result<string> => {
  const result = normalizeEmail(text);
  return result.ok ? { ok: true, value: result.value.email } : result;
};

const readStage = (reader: Reader, value: unknown, path: KeyPath): FileStage => {
  const stage = reader.record(path, value, ['label', 'was', 'color', 'probability', 'default', 'archived']);
  return {
    label: reader.required(stage, path, 'label', normalizeName, ''),
    was: reader.parsed(stage, path, 'was', normalizeName),
    color: reader.parsed(stage, path, 'color', parseColor),
    probability: reader.number(stage, path, 'probability', 100),
    isDefault: reader.flag(stage, path, 'default'),
    archived: reader.flag(stage, path, 'archived'),
  };
};

const readPipeline = (reader: Reader, value: unknown, path: KeyPath): FilePipeline => {
  const pipeline = reader.record(path, value, ['name', 'was', 'archived', 'stages']);
  const stages = reader.list(pipeline, [...path, 'stages'], (stage, at) => readStage(reader, stage, at));
  if (stages.filter(({ isDefault }) => isDefault === true).length > 1) {
    reader.source.problem([...path, 'stages'], 'has more than one default');
  }
  return {
    name: reader.required(pipeline, path, 'name', normalizeName, ''),
    was: reader.parsed(pipeline, path, 'was', normalizeName),
    archived: reader.flag(pipeline, path, 'archived'),
    stages: reader.unique(stages, [...path, 'stages'], 'label', ({ label }) => label),
  };
};

const readMember = (reader: Reader, value: unknown, path: KeyPath): FileMember => {
  const member = reader.record(path, value, ['email', 'was', 'name', 'archived']);
  return {
    email: reader.required(member, path, 'email', email, ''),
    was: reader.parsed(member, path, 'was', email),
    name: reader.parsed(member, path, 'name', normalizeName),
    archived: reader.flag(member, path, 'archived'),
  };
};

const fieldKeys = ['object', 'slug', 'name', 'type', 'options', 'currency', 'max', 'pipelines', 'hidden', 'archived'];

const readField = (reader: Reader, value: unknown, path: KeyPath): FileField => {
  const field = reader.record(path, value, fieldKeys);
  const options = reader.list(field, [...path, 'options'], (option, at) =>
    typeof option === 'string' ? { label: option } : reader.record(at, option, ['value', 'label', 'color', 'archived']),
  );
  const pipelines = reader.list(field, [...path, 'pipelines'], (name) => String(name).trim().normalize('NFC'));
  const object = reader.required(field, path, 'object', oneOf(objectTypes), 'opportunity');
  if (pipelines.length > 0 && object !== 'opportunity') {
    reader.source.problem([...path, 'pipelines'], 'applies only to fields of opportunities');
  }
  return {
    path,
    object,
    slug: reader.required(field, path, 'slug', parseSlug, ''),
    name: reader.required(field, path, 'name', normalizeName, ''),
    type: reader.required(field, path, 'type', oneOf(attributeTypes), 'string'),
    options: field['options'] === undefined ? undefined : options,
    currency: reader.parsed(field, path, 'currency', parseCurrencyCode),
    max: reader.number(field, path, 'max', 100),
    pipelines: field['pipelines'] === undefined ? undefined : pipelines,
    hidden: reader.flag(field, path, 'hidden'),
    archived: reader.flag(field, path, 'archived'),
  };
};

/** Parses a setup file and keeps its lines for messages. @throws CliError (78) with the line if it is not YAML */
export const setupSource = (file: string, text: string): MappingSource =>
  new MappingSource(file, text, 'The setup file cannot be used; nothing was changed.');

/**
 * Reads a setup file (YAML or JSON).
 * @throws CliError (78) that names every problem with its key and line
 */
export const readSetupFile = (source: MappingSource): SetupFile => {
  const reader = new Reader(source);
  const top = reader.record([], source.value ?? {}, ['currency', 'members', 'pipelines', 'fields']);
  const file: SetupFile = {
    currency: top['currency'] === null ? null : reader.parsed(top, [], 'currency', parseCurrencyCode),
    members: reader.unique(
      reader.list(top, ['members'], (value, path) => readMember(reader, value, path)),
      ['members'],
      'email',
      (member) => member.email,
    ),
    pipelines: reader.unique(
      reader.list(top, ['pipelines'], (value, path) => readPipeline(reader, value, path)),
      ['pipelines'],
      'name',
      ({ name }) => name,
    ),
    fields: reader.unique(
      reader.list(top, ['fields'], (value, path) => readField(reader, value, path)),
      ['fields'],
      'slug',
      ({ object, slug }) => (slug === '' ? '' : `${object} ${slug}`),
    ),
  };
  source.throwIfAny();
  return file;
};
