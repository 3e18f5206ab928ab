import { bodyPathOf, type ObjectType } from '@crm/domain';

/** A value in the request that was not applied. */
export interface Warning {
  readonly field: string;
  readonly message: string;
}

/**
 * The `warnings` of the response, if any: the values that a create did not apply, because the record already existed.
 * @param unapplied - columns, references and `custom__slug`s
 */
export const warningsExtra = (objectType: ObjectType, unapplied: readonly string[]): { warnings?: Warning[] } => {
  const message = 'The record exists: its stored value was kept';
  const warnings = unapplied.map((name) => ({ field: bodyPathOf(objectType, name), message }));
  return warnings.length === 0 ? {} : { warnings };
};
