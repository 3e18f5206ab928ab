import type { CustomFieldDefinition } from '../custom-field/definition.js';
import type { ErrorCollector } from '../errors.js';
import { findDefinition, type FieldIndex, type FieldSelection, unknownFieldText } from './field-index.js';
import { findSystemField, systemFields } from './system-fields.js';
import { quote } from './quote.js';

/** The maximum number of names in one `fields`. */
export const maxFieldNames = 100;

/** The name that stands for every visible custom field. */
export const allCustomFields = 'custom_fields';

/** The name that stands for the fields of a request without `fields`, so that other names add to them. */
export const defaultFields = 'default';

const maxUnknownNamed = 5;

/**
 * Reads `fields`: texts that may each contain several names, separated by commas. Blank names are skipped. A `fields`
 * with only blank names counts as absent. The keys of every record are always shown, and naming them is allowed. Other
 * names add extras or narrow `custom_fields`. `default` stands for `whenAbsent`, to which the other names then add. A hidden
 * or archived custom field is shown only if it is named.
 * @param input a text, an array of texts, or null or undefined when it was not given
 * @param whenAbsent the selection if `fields` is absent; by default the default selection
 * @returns the selection; `whenAbsent` also after an error. Every error is on `fields`.
 */
export const parseFieldSelection = (
  input: string | readonly string[] | null | undefined,
  fieldIndex: FieldIndex,
  errors: ErrorCollector,
  whenAbsent: FieldSelection = fieldIndex.defaultSelection,
): FieldSelection => {
  const names = readNames(input ?? []);
  if (names.size === 0) return whenAbsent;
  if (names.size > maxFieldNames) {
    errors.add('fields', `must name at most ${maxFieldNames} fields`);
    return whenAbsent;
  }
  return select(names, fieldIndex, errors, whenAbsent) ?? whenAbsent;
};

const readNames = (input: string | readonly string[]): ReadonlySet<string> => {
  const names = [input]
    .flat()
    .flatMap((text) => text.split(','))
    .map((name) => name.trim());
  return new Set(names.filter((name) => name !== ''));
};

const select = (
  names: ReadonlySet<string>,
  fieldIndex: FieldIndex,
  errors: ErrorCollector,
  whenAbsent: FieldSelection,
): FieldSelection | null => {
  const extras = new Set<string>();
  const custom = new Set<CustomFieldDefinition>();
  const unknown: string[] = [];
  for (const name of names) {
    const field = findSystemField(fieldIndex.objectType, name);
    const definition = field === null ? findDefinition(fieldIndex, name, fieldIndex.storedBySlug) : null;
    if (field !== null) extras.add(field.name);
    else if (name === defaultFields) {
      whenAbsent.extras.forEach((extra) => extras.add(extra.name));
      whenAbsent.custom.forEach((one) => custom.add(one));
    } else if (name === allCustomFields) fieldIndex.defaultSelection.custom.forEach((one) => custom.add(one));
    else if (definition !== null) custom.add(definition);
    else unknown.push(name);
  }
  const [first, ...others] = unknown;
  if (first !== undefined) {
    const more = others.slice(0, maxUnknownNamed - 1).map(quote);
    errors.add('fields', [unknownFieldText(fieldIndex, first, errors), ...more].join(', '));
    return null;
  }
  return inCanonicalOrder(extras, custom, fieldIndex);
};

const inCanonicalOrder = (
  extras: ReadonlySet<string>,
  custom: ReadonlySet<CustomFieldDefinition>,
  fieldIndex: FieldIndex,
): FieldSelection => {
  const { defaultSelection, storedBySlug, objectType } = fieldIndex;
  const chosenExtras = systemFields[objectType].filter((field) => !field.always && extras.has(field.name));
  const chosen = [...storedBySlug.values()].filter((definition) => custom.has(definition));
  // Equal lengths are not enough: the selection may have a hidden or archived field instead of a visible one.
  const isVisible = ({ isHidden, isActive }: CustomFieldDefinition): boolean => !isHidden && isActive !== false;
  const isAllVisible = chosen.length === defaultSelection.custom.length && chosen.every(isVisible);
  return { extras: chosenExtras, custom: chosen, isAllVisible };
};
