import type { CustomValueReferences } from '../custom-field/custom-value.js';
import type { CustomFieldDefinition } from '../custom-field/definition.js';
import { locationTextParts } from '../custom-field/values/location.js';
import { findDefinition, type FieldIndex } from './field-index.js';
import type { KnownLabels } from './known-labels.js';
import { findRelation, findSystemField, type RelationName, type SystemField } from './system-fields.js';

/**
 * A field named in a filter or sort. `part` is set only for a part of a date_range (`start`, `end`) or location (`city`
 * …), which is named after a dot. `members` is set for a field of members, who may be named by
 * email. `isExact` is set where whole values of a key, such as `external_id`, are compared exactly.
 */
export type FieldRef =
  | { readonly source: 'system'; readonly field: SystemField; readonly labels?: KnownLabels; readonly isExact?: true }
  | {
      readonly source: 'custom';
      readonly definition: CustomFieldDefinition;
      readonly part?: string;
      readonly members?: CustomValueReferences;
    }
  | { readonly source: 'relation'; readonly name: RelationName };

/** The parts of a date_range value, each a `YYYY-MM-DD` text or null. */
export const dateRangeParts = ['start', 'end'] as const;

/** The parts of a location value: `lat` and `lng` are numbers, the others text; each may be null. */
export const locationParts = [...locationTextParts, 'lat', 'lng', 'formatted'] as const;

/** The names of the parts of a definition's field, used after a dot; none for most types. */
export const partsOf = (definition: CustomFieldDefinition): readonly string[] => {
  if (definition.attributeType === 'date_range') return dateRangeParts;
  return definition.attributeType === 'location' ? locationParts : [];
};

/**
 * Resolves a name in a filter or a sort: a system field, else a relation, else a custom field by `custom__slug`
 * or slug, with `.part` for fields with parts. @returns null if there is no such field
 */
export const resolveField = (fieldIndex: FieldIndex, name: string): FieldRef | null => {
  const field = findSystemField(fieldIndex.objectType, name);
  const labels = fieldIndex.labels.get(name);
  if (field !== null) return { source: 'system', field, ...(labels && { labels }) };
  const relation = findRelation(fieldIndex.objectType, name);
  if (relation !== null) return { source: 'relation', name: relation };
  const dot = name.indexOf('.');
  const definition = findDefinition(fieldIndex, dot < 0 ? name : name.slice(0, dot));
  if (definition === null) return null;
  if (dot < 0)
    return definition.attributeType === 'team_members'
      ? { source: 'custom', definition, members: fieldIndex.members }
      : { source: 'custom', definition };
  const part = name.slice(dot + 1);
  return partsOf(definition).includes(part) ? { source: 'custom', definition, part } : null;
};

/** Whether a record can have several values of the field, of which filters compare each. */
export const hasSeveralLinks = (ref: FieldRef): boolean => ref.source === 'system' && ref.field.isAnyLinked;

/** A key that identifies the field of a reference. Used to find duplicates, and in cursor bindings. */
export const fieldKey = (ref: FieldRef): string => {
  if (ref.source === 'system') return ref.isExact === true ? `key:${ref.field.name}` : ref.field.name;
  if (ref.source === 'relation') return `relation:${ref.name}`;
  return ref.part === undefined ? `custom:${ref.definition.id}` : `custom:${ref.definition.id}.${ref.part}`;
};
