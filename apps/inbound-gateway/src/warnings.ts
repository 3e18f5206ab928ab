import { isDeepStrictEqual } from 'node:util';
import type { CustomValues, StoredRow } from '@crm/db';
import { propertyName } from '@crm/domain';

/** Something that was sent and not applied. */
export interface Warning {
  readonly field: string;
  readonly message: string;
}

/** A value that was sent, where it was sent, and the column that holds its stored counterpart. */
export interface SentValue {
  readonly field: string;
  readonly column: string;
  /** In stored form; null when it was not sent. */
  readonly value: unknown;
}

const kept = (field: string): Warning => ({ field, message: 'The record exists: its stored value was kept' });

/**
 * What a create that found its record did not apply: values that were sent and differ from the stored ones.
 * @param stored - columns of the found record, or null when it was created and everything was applied
 * @param customPath - where custom values were sent, as `opportunity.custom_fields`
 */
export const keptValueWarnings = (
  stored: StoredRow,
  sent: readonly SentValue[],
  custom: CustomValues,
  customPath: string,
): readonly Warning[] => {
  if (stored === null) return [];
  const storedCustom = (stored['custom_fields'] ?? {}) as Readonly<Record<string, unknown>>;
  const columns = sent.filter(({ value, column }) => value !== null && !isDeepStrictEqual(value, stored[column]));
  const slugs = [...custom.values].filter(
    ([slug, value]) => value !== null && !isDeepStrictEqual(value, storedCustom[slug]),
  );
  return [
    ...columns.map(({ field }) => kept(field)),
    ...slugs.map(([slug]) => kept(`${customPath}${propertyName(slug)}`)),
  ];
};

/** `warnings` as a further property of the answer, where there are any. */
export const warningsExtra = (warnings: readonly Warning[]): { warnings?: readonly Warning[] } =>
  warnings.length === 0 ? {} : { warnings };
