/** A value in the request that was not applied. */
export interface Warning {
  readonly field: string;
  readonly message: string;
}

/**
 * The `warnings` of the response, if any: the values that a create did not apply, because the record already existed.
 * @param unapplied - columns and `custom__slug`s
 * @param pathOf - the path of each in a request; by default its own name
 */
export const warningsExtra = (
  unapplied: readonly string[],
  pathOf = (name: string): string => name,
): { warnings?: Warning[] } => {
  const message = 'The record exists: its stored value was kept';
  return unapplied.length === 0 ? {} : { warnings: unapplied.map((name) => ({ field: pathOf(name), message })) };
};
