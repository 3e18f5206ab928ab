import { comparableName } from '../../natural-key/name.js';
import { fail, ok, okIfStored, okWithParts, type Result, type StoredPart } from '../../result.js';
import type { CustomFieldDefinition, FieldOption } from '../definition.js';
import { echo, echoList, maxSelections } from './bounds.js';

const optionsOf = (definition: CustomFieldDefinition): readonly FieldOption[] => definition.metadata?.options ?? [];

const writable = (options: readonly FieldOption[]): readonly FieldOption[] =>
  options.filter((option) => option.archived !== true);

const listValues = (options: readonly FieldOption[]): string => echoList(options.map((option) => option.value));

const labelIndexes = new WeakMap<readonly FieldOption[], ReadonlyMap<string, readonly FieldOption[]>>();

/** The options with a label, compared as {@link comparableName} does. The index is built once for each list of options. */
export const optionsByLabel = (options: readonly FieldOption[], label: string): readonly FieldOption[] => {
  let index = labelIndexes.get(options);
  if (index === undefined) {
    const byLabel = new Map<string, FieldOption[]>();
    for (const option of options) {
      const key = comparableName(option.label);
      byLabel.set(key, [...(byLabel.get(key) ?? []), option]);
    }
    index = byLabel;
    labelIndexes.set(options, index);
  }
  return index.get(comparableName(label)) ?? [];
};

/**
 * Finds the option for a sent text. A value wins over an equal label, so that a value that was read can be sent back. A
 * label matches only options that are not archived, and only if exactly one has it. If all options with the label are
 * archived, it may be the only one.
 */
export const findOption = (options: readonly FieldOption[], text: string): Result<FieldOption> => {
  const byValue = options.find((option) => option.value === text);
  if (byValue !== undefined) return ok(byValue);
  const labelled = optionsByLabel(options, text);
  const active = writable(labelled);
  const found = active.length > 0 ? active : labelled;
  const [only] = found;
  if (found.length > 1) {
    return fail(`"${echo(text)}" is the label of several options; use one value of: ${listValues(found)}`);
  }
  if (only !== undefined) return ok(only);
  return fail(`"${echo(text)}" is not an option; must be one of: ${listValues(writable(options))}`);
};

const archivedFault = (text: string): string =>
  `"${echo(text)}" is an archived option: only a record that has it can keep it`;

/** Reads a `select` or `radio`: an option's value, or its label if only one option has it. Stored as the value. */
export const parseOption = (input: unknown, definition: CustomFieldDefinition): Result<string> => {
  const options = optionsOf(definition);
  if (typeof input !== 'string') return fail(`must be a string, one of: ${listValues(writable(options))}`);
  const option = findOption(options, input);
  if (!option.ok) return option;
  const { value, archived } = option.value;
  return archived === true ? okIfStored(value, archivedFault(input)) : ok(value);
};

/**
 * Reads a `multi_select`: an array of texts as in {@link parseOption}. Stored as values without duplicates, in the
 * order of the options.
 */
export const parseOptions = (input: unknown, definition: CustomFieldDefinition): Result<readonly string[]> => {
  const options = optionsOf(definition);
  if (!Array.isArray(input)) return fail(`must be an array, of: ${listValues(writable(options))}`);
  if (input.length > maxSelections) return fail(`must have at most ${maxSelections} entries`);
  const chosen = new Set<string>();
  const archived: StoredPart[] = [];
  for (const [index, entry] of (input as readonly unknown[]).entries()) {
    const option = parseOption(entry, definition);
    if (!option.ok) return fail(`entry ${index}: ${option.message}`);
    if (option.ifStored !== undefined) {
      archived.push({ ...option.ifStored, message: `entry ${index}: ${option.ifStored.message}` });
    }
    chosen.add(option.value);
  }
  return okWithParts(
    options.map((option) => option.value).filter((value) => chosen.has(value)),
    archived,
  );
};
