/** Something that was sent and not applied. */
export interface Warning {
  readonly field: string;
  readonly message: string;
}

/**
 * `warnings` as a further property of the answer, where there are any: what a create that found its record did not apply.
 * @param unapplied - columns and `custom__slug`s
 * @param pathOf - where each is sent; under its own name when absent
 */
export const warningsExtra = (
  unapplied: readonly string[],
  pathOf = (name: string): string => name,
): { warnings?: Warning[] } => {
  const message = 'The record exists: its stored value was kept';
  return unapplied.length === 0 ? {} : { warnings: unapplied.map((name) => ({ field: pathOf(name), message })) };
};
