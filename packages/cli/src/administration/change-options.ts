import type { FieldOption } from '@crm/domain';

import { usageError } from '../errors.js';
import type { GivenOption } from './option-syntax.js';

const setArchived = (
  options: readonly object[],
  values: readonly string[],
  isArchived: boolean,
  valueOf: (option: object) => string,
): readonly object[] => {
  for (const value of values) {
    if (options.some((option) => valueOf(option) === value)) continue;
    throw usageError(`--${isArchived ? 'archive' : 'restore'}-option: There is no option ${value}.`);
  }
  return options.map((option) => (values.includes(valueOf(option)) ? { ...option, archived: isArchived } : option));
};

const valueOf = (option: object): string => {
  const { value, label } = option as GivenOption;
  return value ?? label;
};

/**
 * Applies changes to the options of a field. A given option updates the one with the same value, or is appended.
 *
 * @throws CliError (2) if an option to archive or restore does not exist
 */
export const changeOptions = (
  current: readonly FieldOption[],
  given: readonly GivenOption[],
  archive: readonly string[],
  restore: readonly string[],
): readonly object[] => {
  const changed = current.map((option) => ({ ...option, ...given.find((one) => valueOf(one) === option.value) }));
  const added = given.filter((one) => !current.some(({ value }) => value === valueOf(one)));
  const all: readonly object[] = [...changed, ...added];
  return setArchived(setArchived(all, archive, true, valueOf), restore, false, valueOf);
};
