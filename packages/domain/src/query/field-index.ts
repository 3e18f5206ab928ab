import type { CustomValueReferences } from '../custom-field/custom-value.js';
import { propertyNamePrefix, type CustomFieldDefinition } from '../custom-field/definition.js';
import type { ErrorCollector } from '../errors.js';
import { nearestName } from '../nearest-name.js';
import type { ObjectType } from '../object-type.js';
import type { KnownLabels } from './known-labels.js';
import { quote } from './quote.js';
import { systemFields, type SystemField } from './system-fields.js';

/** The fields of a record besides the keys that are always present. */
export interface FieldSelection {
  /** The requested extras, in the order of {@link systemFields}. */
  readonly extras: readonly SystemField[];
  /** The custom fields under `custom_fields` and in the definitions map, in the order of the index. */
  readonly custom: readonly CustomFieldDefinition[];
  /** Whether `custom` is every visible custom field, as in a request without `fields`. */
  readonly isAllVisible: boolean;
}

/**
 * The field names that a request may use for one object of one organization. Built once per set of definitions, not per
 * request.
 */
export interface FieldIndex {
  readonly objectType: ObjectType;
  /** All of them, hidden ones included, in the order given. */
  readonly definitions: readonly CustomFieldDefinition[];
  readonly bySlug: ReadonlyMap<string, CustomFieldDefinition>;
  /** By the name of a system field whose values are labels of the setup: the labels that filters may name. */
  readonly labels: ReadonlyMap<string, KnownLabels>;
  /** With archived fields too, which only `fields` may name, and writes that send back a stored value. */
  readonly storedBySlug: ReadonlyMap<string, CustomFieldDefinition>;
  /** Finds the members that filters name by email. */
  readonly members: CustomValueReferences;
  /** The fields of lists and searches without `fields`. */
  readonly defaultSelection: FieldSelection;
  /** Every system field and visible custom field, but none on request: the selection of a get by id without `fields`. */
  readonly fullSelection: FieldSelection;
}

const noMembers: CustomValueReferences = { findMemberId: () => undefined };

const bySlugOf = (definitions: readonly CustomFieldDefinition[]): ReadonlyMap<string, CustomFieldDefinition> =>
  new Map(definitions.map((definition) => [definition.slug, definition]));

/**
 * Builds the field index of one object.
 * @param stored those the request may name, in display order; for opportunities already filtered by the request's
 * pipeline, if it has one; archived ones too
 * @param labels - see {@link FieldIndex.labels}
 */
export const createFieldIndex = (
  objectType: ObjectType,
  stored: readonly CustomFieldDefinition[],
  labels: FieldIndex['labels'] = new Map(),
  members = noMembers,
): FieldIndex => {
  const definitions = stored.filter((definition) => definition.isActive !== false);
  const custom = definitions.filter((definition) => !definition.isHidden);
  const extras = systemFields[objectType].filter((field) => !field.always);
  return {
    objectType,
    definitions,
    bySlug: bySlugOf(definitions),
    storedBySlug: bySlugOf(stored),
    labels,
    members,
    defaultSelection: { extras: [], custom, isAllVisible: true },
    fullSelection: { extras: extras.filter(({ isOnRequest }) => !isOnRequest), custom, isAllVisible: true },
  };
};

/**
 * The definition for `custom__slug` or a bare slug, or null. The prefixed form wins, because it is the stable name in
 * the definitions map.
 */
export const findDefinition = (
  fieldIndex: FieldIndex,
  name: string,
  bySlug: FieldIndex['bySlug'] = fieldIndex.bySlug,
): CustomFieldDefinition | null => {
  const prefixed = name.startsWith(propertyNamePrefix) ? bySlug.get(name.slice(propertyNamePrefix.length)) : undefined;
  return prefixed ?? bySlug.get(name) ?? null;
};

/** The error text for an unknown field name. The first few of a request suggest the visible field that the caller probably meant. */
export const unknownFieldText = (
  { objectType, fullSelection }: FieldIndex,
  name: string,
  errors: ErrorCollector,
): string => {
  const text = `unknown field ${quote(name)}`;
  if (!errors.takeSuggestion()) return text;
  const slugs = fullSelection.custom.map(({ slug }) => slug);
  const prefix = name.startsWith(propertyNamePrefix) ? propertyNamePrefix : '';
  const known = prefix === '' ? [...systemFields[objectType].map((field) => field.name), ...slugs] : slugs;
  const near = nearestName(name.slice(prefix.length), known);
  return near === undefined ? text : `${text}, did you mean ${prefix}${near}?`;
};
