import type { KeyPath, MappingSource } from './mapping-source.js';

/** The value as a map of keys; anything else is noted as a problem and taken for an empty map. */
export const asRecord = (source: MappingSource, path: KeyPath, value: unknown): Readonly<Record<string, unknown>> => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  source.problem(path, value === undefined || value === null ? 'is missing' : 'must be a map of keys');
  return {};
};

/** Notes every key that is not in `allowed`: a misspelt key must not be ignored silently. */
export const onlyKeys = (
  source: MappingSource,
  path: KeyPath,
  record: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
): void => {
  for (const key of Object.keys(record)) {
    if (!allowed.includes(key)) source.problem([...path, key], `unknown key; known are ${allowed.join(', ')}`);
  }
};

/** The value as a text that is not empty; anything else is noted as a problem. */
export const readText = (source: MappingSource, path: KeyPath, value: unknown): string | undefined => {
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number') return String(value);
  source.problem(path, 'must be a text');
  return undefined;
};
