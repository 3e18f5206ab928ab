import {
  comparableName,
  comparisonKind,
  type CustomFieldDefinition,
  type FieldRef,
  type FilterLeaf,
  isNormalized,
  matchesFilter,
  normalizeForSearch,
  type ObjectType,
  type Operator,
  propertyName,
  type SystemField,
} from '@crm/domain';
import type { OrganizationSetup } from '../organization-setup.js';
import type { Parameters, SqlScope } from './parameters.js';

/** The table of each object. Every statement in this folder calls it `r`. */
export const tables: Readonly<Record<ObjectType, string>> = {
  opportunity: 'opportunities',
  account: 'accounts',
  contact: 'contacts',
};

/** The SQL type in which the values of a field are compared. */
export type ComparisonType = 'text' | 'numeric' | 'float8' | 'bigint' | 'uuid' | 'boolean' | 'timestamptz';

/** How to compare and sort by a field of the record `r`. */
export interface FieldSql {
  /** `scalar` for most; `set`: a jsonb array; `whole`: jsonb, for a date range or location named without a part. */
  readonly form: 'scalar' | 'set' | 'whole';
  /** The whole value. Text compares in code-point order. */
  readonly expression: string;
  readonly type: ComparisonType;
  /** The sort key: the value itself, or the first 200 code points of a text. */
  readonly key: string;
  readonly nullable: boolean;
  /** Whether an index of the record's table has {@link key} directly after organization and pipeline. */
  readonly isIndexed: boolean;
}

const scalar = (
  expression: string,
  type: ComparisonType,
  nullable: boolean,
  isIndexed = false,
  key = expression,
): FieldSql => ({ form: 'scalar', expression, type, key, nullable, isIndexed });

/** @param column - the column with the sort key; null to cut the key from the text */
const text = (expression: string, column: string | null = null, isIndexed = column !== null): FieldSql => {
  const collated = `(${expression}) COLLATE "C"`;
  return scalar(
    collated,
    'text',
    true,
    isIndexed,
    column === null ? `left(${collated}, 200) COLLATE "C"` : `r.${column}`,
  );
};

/** A column of the account, contact or member that the record `r` refers to. */
export const related = (table: string, column: string, key: string): string =>
  `(SELECT x.${column} FROM ${table} x WHERE x.organization_id = $1 AND x.id = r.${key})`;

/**
 * The slots of a record: columns with the values of indexed custom fields. Their indexes are partial and leave out records without a
 * value.
 */
export const slots = ['text', 'number'].flatMap((kind) =>
  Array.from({ length: 8 }, (_, index) => `${kind}_${index + 1}`),
);

/** Operators on a part of a text. The trigram index of the related table serves them, because that table has fewer records. */
const partOperators: ReadonlySet<Operator> = new Set(['contains', 'not_contains', 'starts_with', 'ends_with']);

/**
 * The value that an opportunity has from its stage. The stage is looked up in the table, so that the value is always current.
 *
 * `probability` → `(SELECT x.probability FROM stages x WHERE x.organization_id = $1 AND x.id = r.stage_id)`
 */
export const stageValues: Readonly<Record<'outcome' | 'probability' | 'weighted_amount', string>> = {
  outcome: related('stages', 'outcome', 'stage_id'),
  probability: related('stages', 'probability', 'stage_id'),
  // Exact: a product has all decimals of its factors, unlike a quotient. Records and comparisons have the nearest double.
  weighted_amount: `(r.amount * ${related('stages', 'probability', 'stage_id')}::numeric * 0.01)`,
};

/**
 * Fields whose values are labels from the organization's setup: the label, outcome or probability of a stage, a pipeline's name or an
 * owner's email.
 */
export interface LabelField {
  /** The record's column with the id. The setup in memory has all labels. */
  readonly column: 'stage_id' | 'pipeline_id' | 'owner_id';
  /** Labels by id. Of the probability, they are numbers, or null. */
  readonly labels: ReadonlyMap<string, string | number | null>;
}

/** The labels of a field, or null if it is not a label. */
export const labelField = (setup: OrganizationSetup, ref: FieldRef): LabelField | null => {
  if (ref.source !== 'system') return null;
  switch (ref.field.name) {
    case 'stage_name':
      return { column: 'stage_id', labels: setup.stageLabels };
    case 'outcome':
      return { column: 'stage_id', labels: setup.stageOutcomes };
    case 'probability':
      return { column: 'stage_id', labels: setup.stageProbabilities };
    case 'pipeline_name':
      return { column: 'pipeline_id', labels: setup.pipelineNames };
    case 'owner_email':
      return { column: 'owner_id', labels: setup.memberEmails };
    default:
      return null;
  }
};

/**
 * The ids whose labels match a comparison. They are matched in memory, because the database indexes the ids and not the labels. Whole
 * labels are compared as those of the setup are, parts of them as other texts.
 */
export const idsOfMatchingLabels = ({ labels }: LabelField, leaf: FilterLeaf): readonly string[] => {
  const formOf = partOperators.has(leaf.operator) ? normalizeForSearch : comparableName;
  const valueOf = (label: string | number | null) => (typeof label === 'string' ? formOf(label) : label);
  return [...labels].filter(([, label]) => matchesFilter(leaf, () => valueOf(label))).map(([id]) => id);
};

/** The normalized label of the record `r`. An organization can have many members, so their emails are not bound. */
const labelSql = ({ column, labels }: LabelField, parameters: Parameters): FieldSql => {
  if (column === 'owner_id') return text(related('members', 'email', 'owner_id'));
  const ids = parameters.add([...labels.keys()]);
  const texts = parameters.add([...labels.values()].map((label) => normalizeForSearch(String(label))));
  return text(`SELECT x.label FROM unnest(${ids}::uuid[], ${texts}::text[]) AS x (id, label) WHERE x.id = r.${column}`);
};

/** A text of the account or primary contact of a record. */
export interface RelatedField {
  readonly table: 'accounts' | 'contacts';
  /** The record's column with the id of the related record. */
  readonly key: 'account_id' | 'contact_id';
  /** The normalized text in the related record. */
  readonly value: string;
  /** The column of an opportunity with a copy of its sort key, or null. */
  readonly copy: string | null;
  /** Whether it is a natural key: unique, never null, and short, so that the copy has the whole value. */
  readonly isUnique: boolean;
  /** Whether `search_text` of the related record contains it. */
  readonly isSearched: boolean;
}

const ofAccount = { table: 'accounts', key: 'account_id', isSearched: true } as const;
const ofContact = { table: 'contacts', key: 'contact_id', isSearched: true } as const;
const externalId = { value: `normalized->>'external_id'`, copy: null, isUnique: false, isSearched: false } as const;

const relatedFields: Readonly<Record<string, RelatedField>> = {
  account_domain: { ...ofAccount, value: 'domain', copy: 'account_domain', isUnique: true },
  account_external_id: { ...ofAccount, ...externalId },
  contact_external_id: { ...ofContact, ...externalId },
  account_name: { ...ofAccount, value: 'normalized_name', copy: 'account_name_key', isUnique: false },
  contact_email: { ...ofContact, value: 'email', copy: 'contact_email', isUnique: true },
  ...Object.fromEntries(
    ['first_name', 'last_name'].map((name) => [
      `contact_${name}`,
      { ...ofContact, value: `normalized->>'${name}'`, copy: `contact_${name}_key`, isUnique: false },
    ]),
  ),
};

/** The external id of a related record, compared exactly. It is unique, and no comparison with it matches a record without one. */
const exactly = (field: RelatedField): RelatedField => ({ ...field, value: 'external_id', isUnique: true });

/** The related text that a reference names: `account.domain`, or `account_domain` of an opportunity. */
const relatedOf = (ref: FieldRef): RelatedField | undefined => {
  if (ref.source === 'relation') return relatedFields[ref.name.replace('.', '_')];
  const field = ref.source === 'system' ? relatedFields[ref.field.name] : undefined;
  return field !== undefined && ref.source === 'system' && ref.isExact === true ? exactly(field) : field;
};

/**
 * The field of the related record that a comparison must look up. Returns null if the record's own columns are enough: an opportunity
 * has indexed copies of these texts of its account and primary contact. They serve comparisons with whole values.
 */
export const relatedField = (objectType: ObjectType, { field, operator }: FilterLeaf): RelatedField | null => {
  const found = relatedOf(field) ?? null;
  const isCopied = objectType === 'opportunity' && found !== null && found.copy !== null;
  return isCopied && !partOperators.has(operator) ? null : found;
};

/** A related text as a field of the account or contact `x`. */
export const fieldOfRelated = ({ value, isUnique }: RelatedField): FieldSql => {
  const expression = value.includes('>') ? `(x.${value}) COLLATE "C"` : `x.${value}`;
  return scalar(expression, 'text', !isUnique, true, isUnique ? expression : `left(${expression}, 200)`);
};

/** A related text as a field of the record `r`. Only opportunities have copies of it. */
const relatedSql = (objectType: ObjectType, { table, key, value, copy, isUnique }: RelatedField): FieldSql => {
  if (objectType !== 'opportunity' || copy === null) return text(related(table, value, key));
  return isUnique ? scalar(`r.${copy}`, 'text', true, true) : text(related(table, value, key), copy);
};

/** A part of a date range or location, such as `visit.start` or `office.city`. */
const customPart = ({ attributeType, slug }: CustomFieldDefinition, part: string, parameters: Parameters): FieldSql => {
  const isLocation = attributeType === 'location';
  const isNumber = part === 'lat' || part === 'lng';
  const [column, name] = isLocation && !isNumber ? ['normalized', propertyName(slug)] : ['custom_fields', slug];
  const value = `r.${column}->${parameters.add(name)}::text->>${parameters.add(part)}::text`;
  return isLocation && isNumber ? scalar(`(${value})::float8`, 'float8', true) : text(value);
};

/** A custom field. A field with a slot compares and sorts by the slot's column, which is indexed. */
const customSql = ({ attributeType, slot, slug }: CustomFieldDefinition, parameters: Parameters): FieldSql => {
  const kind = comparisonKind(attributeType);
  if (kind === 'text') {
    const [column, name] = isNormalized(attributeType) ? ['normalized', propertyName(slug)] : ['custom_fields', slug];
    return text(`r.${column}->>${parameters.add(name)}::text`, slot);
  }
  if (kind === 'number') {
    if (slot !== null) return scalar(`r.${slot}`, 'float8', true, true);
    const value = `(r.custom_fields->>${parameters.add(slug)}::text)`;
    return scalar(attributeType === 'checkbox' ? `${value}::boolean::int::float8` : `${value}::float8`, 'float8', true);
  }
  const value = `(r.custom_fields->${parameters.add(slug)}::text)`;
  return { ...scalar(value, 'text', true), form: kind === 'set' ? 'set' : 'whole' };
};

/** System fields that no index has directly after organization and pipeline. */
const unindexed: ReadonlySet<string> = new Set([
  'id',
  'pipeline_id',
  'currency',
  'next_step',
  'description',
  'version',
  // Whole values are compared with the unique index.
  'external_id',
]);

const columnTypes: Readonly<Record<SystemField['kind'], ComparisonType>> = {
  text: 'text',
  email: 'text',
  domain: 'text',
  number: 'numeric',
  boolean: 'boolean',
  uuid: 'uuid',
  epoch_ms: 'bigint',
  timestamp: 'timestamptz',
  contact_list: 'text',
  text_list: 'text',
};

const columnSql = (objectType: ObjectType, { name, kind, nullable }: SystemField): FieldSql => {
  // Only opportunities always have a name.
  if (name === 'name')
    return scalar('r.normalized_name', 'text', objectType !== 'opportunity', true, 'left(r.normalized_name, 200)');
  const isIndexed = !unindexed.has(name);
  if (kind === 'text') return text(`r.normalized->>'${name}'`, null, isIndexed);
  return scalar(`r.${name}`, columnTypes[kind], nullable, isIndexed);
};

/**
 * The SQL over the record `r` for a field that a filter or sort names. Slugs and part names become parameters, never SQL text.
 *
 * - `amount` → `r.amount`
 * - `custom__tier`, which has the slot `text_1` → sort key `r.text_1`, value `(r.normalized->>$2::text) COLLATE "C"`
 * - `account.name` → sort key `r.account_name_key`
 */
export const fieldSql = ({ setup, objectType, parameters }: SqlScope, ref: FieldRef): FieldSql => {
  if (ref.source === 'custom')
    return ref.part === undefined
      ? customSql(ref.definition, parameters)
      : customPart(ref.definition, ref.part, parameters);
  if (ref.source === 'system' && (ref.field.name === 'probability' || ref.field.name === 'weighted_amount'))
    return scalar(`${stageValues[ref.field.name]}::float8`, 'float8', true);
  const byLabel = labelField(setup, ref);
  if (byLabel !== null) return labelSql(byLabel, parameters);
  const relatedText = relatedOf(ref);
  if (relatedText !== undefined) return relatedSql(objectType, relatedText);
  if (ref.source === 'relation') throw new Error(`No ${objectType} has ${ref.name}`);
  // The unique index serves whole external ids, that of sort keys the parts of them.
  return ref.isExact === true ? scalar(`r.${ref.field.name}`, 'text', true, true) : columnSql(objectType, ref.field);
};
