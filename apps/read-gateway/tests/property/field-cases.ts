import {
  type FieldIndex,
  type FieldRef,
  filterKindOf,
  type Operator,
  partsOf,
  propertyName,
  relationNames,
  systemFields,
} from '@crm/domain';

/** A field for filters and sorts, and the name under which its uses are counted. */
export interface FieldCase {
  readonly ref: FieldRef;
  /** The spellings of its name. */
  readonly spellings: readonly string[];
  /** The attribute type or part, the kind of a system field, or the relation. */
  readonly type: string;
  /** Whether it is a system field, or a custom field with an indexed column, or one that is read from JSON. */
  readonly storage: 'slot' | 'json' | 'system';
  readonly sorts: boolean;
}

/** The type and storage of a field. */
export const describeField = (ref: FieldRef): Pick<FieldCase, 'type' | 'storage'> => {
  if (ref.source === 'system') return { type: ref.field.kind, storage: 'system' };
  if (ref.source === 'relation') return { type: ref.name, storage: 'system' };
  const { attributeType, slot } = ref.definition;
  const type = ref.part === undefined ? attributeType : `${attributeType}.${ref.part}`;
  return { type, storage: slot === null ? 'json' : 'slot' };
};

/** The name under which a type of field and an operator are counted. */
export const pairName = ({ type, storage }: Pick<FieldCase, 'type' | 'storage'>, operator: Operator): string =>
  `${type} ${storage} ${operator}`;

const withNames = (ref: FieldRef, sorts: boolean, ...spellings: readonly string[]): FieldCase => ({
  ref,
  spellings,
  sorts,
  ...describeField(ref),
});

/** Every field of an object that filters accept, including each part of a field. */
export const fieldCasesOf = (fieldIndex: FieldIndex): readonly FieldCase[] => {
  const system = systemFields[fieldIndex.objectType]
    .filter((field) => field.filterable)
    .map((field) => withNames({ source: 'system', field }, field.sortable, field.name));
  const relations = relationNames[fieldIndex.objectType].map((name) =>
    withNames({ source: 'relation', name }, false, name),
  );
  const custom = fieldIndex.definitions.flatMap((definition) => {
    const { slug } = definition;
    const parts = partsOf(definition);
    const ofParts = parts.map((part) =>
      withNames({ source: 'custom', definition, part }, true, `${slug}.${part}`, `${propertyName(slug)}.${part}`),
    );
    const kind = filterKindOf({ source: 'custom', definition });
    const sorts = parts.length === 0 && kind !== 'option_set' && kind !== 'member_set';
    return [withNames({ source: 'custom', definition }, sorts, slug, propertyName(slug)), ...ofParts];
  });
  return [...system, ...relations, ...custom];
};
