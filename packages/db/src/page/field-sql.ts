import {
  comparisonKind,
  type CustomFieldDefinition,
  type FieldRef,
  normalizeForSearch,
  isFolded,
  type ObjectType,
  propertyName,
  type RelationName,
  type SystemField,
} from '@crm/domain';
import type { Catalog } from '../catalog.js';
import type { Parameters } from './parameters.js';

/** The SQL type in which values of a field compare. */
export type ComparisonType = 'text' | 'numeric' | 'float8' | 'bigint' | 'uuid' | 'boolean' | 'timestamptz';

/** A field of the record `r` in comparison form. */
export interface FieldSql {
  /** One scalar for most; a jsonb array for sets; jsonb for date ranges and locations named as a whole. */
  readonly form: 'scalar' | 'set' | 'whole';
  /** The whole value; text in code-point order. */
  readonly expression: string;
  readonly type: ComparisonType;
  /** The sort key: the value itself, or the first 200 code points of a text. */
  readonly key: string;
  /** Whether the sort key is only the beginning of a longer value. */
  readonly isKeyCut: boolean;
  readonly nullable: boolean;
  /** Whether an index of the record's own table starts with {@link key} behind organization and pipeline. */
  readonly isIndexed: boolean;
}

interface ScalarOptions {
  readonly key?: string;
  readonly isIndexed?: boolean;
}

const scalar = (
  expression: string,
  type: ComparisonType,
  nullable: boolean,
  options: ScalarOptions = {},
): FieldSql => ({
  form: 'scalar',
  expression,
  type,
  key: options.key ?? expression,
  isKeyCut: options.key !== undefined,
  nullable,
  isIndexed: options.isIndexed ?? false,
});

const first200 = (expression: string): string => `left(${expression}, 200)`;

/**
 * A text that is made when it is first used: what it binds must not be among the parameters of a statement that does not
 * mention it, since the server could not tell that parameter's type.
 */
const lazyText = (make: () => string, column: string | null = null, isIndexed = column !== null): FieldSql => {
  let made: string | undefined;
  const collated = (): string => (made ??= `(${make()}) COLLATE "C"`);
  return {
    form: 'scalar',
    type: 'text',
    nullable: true,
    isKeyCut: true,
    isIndexed,
    get expression() {
      return collated();
    },
    get key() {
      return column === null ? `${first200(collated())} COLLATE "C"` : `r.${column}`;
    },
  };
};

const text = (expression: string, isIndexed = false): FieldSql => lazyText(() => expression, null, isIndexed);

/** A text whose sort key has a column and an index of its own. */
const keyedText = (expression: string, column: string): FieldSql => lazyText(() => expression, column);

const related = (table: string, column: string, key: string): string =>
  `(SELECT x.${column} FROM ${table} x WHERE x.organization_id = r.organization_id AND x.id = r.${key})`;

const column = (name: string): FieldSql => scalar(`r.${name}`, 'text', true, { isIndexed: true });

/** Texts of an opportunity's owner, account and primary contact. It repeats the keys of the last two. */
const relatedText: Readonly<Record<string, FieldSql>> = {
  owner_email: text(related('members', 'email', 'owner_id')),
  account_domain: column('account_domain'),
  account_name: keyedText(related('accounts', 'name_fold', 'account_id'), 'account_name_key'),
  contact_email: column('contact_email'),
  contact_first_name: keyedText(related('contacts', `folds->>'first_name'`, 'contact_id'), 'contact_first_name_key'),
  contact_last_name: keyedText(related('contacts', `folds->>'last_name'`, 'contact_id'), 'contact_last_name_key'),
};

/** The system field of an opportunity that means the same as each relation. */
const relationFields: Readonly<Record<RelationName, string>> = {
  'account.domain': 'account_domain',
  'account.name': 'account_name',
  'contact.email': 'contact_email',
};

/** System fields without an index that starts with them after organization and pipeline. */
const unindexed: ReadonlySet<string> = new Set([
  'id',
  'pipeline_id',
  'currency',
  'next_step',
  'description',
  'version',
]);

const contactRelations: Readonly<Partial<Record<RelationName, FieldSql>>> = {
  'account.domain': text(related('accounts', 'domain', 'account_id')),
  'account.name': text(related('accounts', 'name_fold', 'account_id')),
};

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
};

/** Labels that the catalog holds, folded, for the id in a column. */
const catalogLabel = (labels: ReadonlyMap<string, string>, column: string, parameters: Parameters): FieldSql =>
  lazyText(() => {
    const ids = parameters.add([...labels.keys()]);
    const folds = parameters.add([...labels.values()].map(normalizeForSearch));
    return `SELECT x.label FROM unnest(${ids}::uuid[], ${folds}::text[]) AS x (id, label) WHERE x.id = r.${column}`;
  });

const systemField = (
  catalog: Catalog,
  objectType: ObjectType,
  field: SystemField,
  parameters: Parameters,
): FieldSql => {
  const { name } = field;
  if (objectType === 'opportunity') {
    if (name === 'stage_name') return catalogLabel(catalog.stageLabels, 'stage_id', parameters);
    if (name === 'pipeline_name') return catalogLabel(catalog.pipelineNames, 'pipeline_id', parameters);
    const field = relatedText[name];
    if (field !== undefined) return field;
  }
  // Only opportunities always have a name.
  if (name === 'name') {
    const key = first200('r.name_fold');
    return scalar('r.name_fold', 'text', objectType !== 'opportunity', { key, isIndexed: true });
  }
  const type = columnTypes[field.kind];
  const isIndexed = !unindexed.has(name);
  if (field.kind === 'text') return text(`r.folds->>'${name}'`, isIndexed);
  return scalar(`r.${name}`, type, field.nullable, { isIndexed });
};

/** A part of a date range or location. */
const partField = (definition: CustomFieldDefinition, part: string, parameters: Parameters): FieldSql => {
  const isLocation = definition.attributeType === 'location';
  if (isLocation && part !== 'lat' && part !== 'lng') {
    const name = propertyName(definition.slug);
    return lazyText(() => `r.folds->${parameters.add(name)}::text->>${parameters.add(part)}::text`);
  }
  const value = `r.custom_fields->${parameters.add(definition.slug)}::text->>${parameters.add(part)}::text`;
  return isLocation ? scalar(`(${value})::float8`, 'float8', true) : text(value);
};

const customField = (definition: CustomFieldDefinition, part: string | undefined, parameters: Parameters): FieldSql => {
  if (part !== undefined) return partField(definition, part, parameters);
  const { attributeType, slot, slug } = definition;
  const kind = comparisonKind(attributeType);
  if (kind === 'text') {
    const name = isFolded(attributeType) ? propertyName(slug) : slug;
    const column = isFolded(attributeType) ? 'r.folds' : 'r.custom_fields';
    return lazyText(() => `${column}->>${parameters.add(name)}::text`, slot);
  }
  if (kind === 'number') {
    if (slot !== null) return scalar(`r.${slot}`, 'float8', true, { isIndexed: true });
    const value = `(r.custom_fields->>${parameters.add(slug)}::text)`;
    return scalar(attributeType === 'checkbox' ? `${value}::boolean::int::float8` : `${value}::float8`, 'float8', true);
  }
  const value = `(r.custom_fields->${parameters.add(slug)}::text)`;
  return { ...scalar(value, 'text', true), form: kind === 'set' ? 'set' : 'whole' };
};

/** Turns a field that a filter or sort names into SQL over the record `r`; names and slugs from outside become parameters. */
export const fieldSql = (catalog: Catalog, objectType: ObjectType, ref: FieldRef, parameters: Parameters): FieldSql => {
  if (ref.source === 'system') return systemField(catalog, objectType, ref.field, parameters);
  if (ref.source === 'custom') return customField(ref.definition, ref.part, parameters);
  const related = objectType === 'opportunity' ? relatedText[relationFields[ref.name]] : contactRelations[ref.name];
  if (related === undefined) throw new Error(`No ${objectType} has ${ref.name}`);
  return related;
};
