import type { KeyPath, MappingSource } from './mapping-source.js';

/** Returns the value if it is a map of keys. Otherwise records a problem and returns an empty map. */
export const asRecord = (source: MappingSource, path: KeyPath, value: unknown): Readonly<Record<string, unknown>> => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  source.problem(path, value === undefined || value === null ? 'is missing' : 'must be a map of keys');
  return {};
};

/** Records every key that is not in `allowed` as a problem, so that a misspelled key is not ignored. */
export const onlyKeys = (
  source: MappingSource,
  path: KeyPath,
  record: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
): void => {
  for (const key of Object.keys(record)) {
    if (!allowed.includes(key)) source.problem([...path, key], `unknown key; the keys are ${allowed.join(', ')}`);
  }
};

/** Returns the value if it is a text that is not empty, or a number as text. Otherwise records a problem. */
export const readText = (source: MappingSource, path: KeyPath, value: unknown): string | undefined => {
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number') return String(value);
  source.problem(path, 'must be a text');
  return undefined;
};
