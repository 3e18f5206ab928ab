import {
  comparisonKind,
  type CustomFieldDefinition,
  type FieldRef,
  fold,
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
const lazyText = (make: () => string, slot: string | null = null): FieldSql => {
  let made: string | undefined;
  const collated = (): string => (made ??= `(${make()}) COLLATE "C"`);
  return {
    form: 'scalar',
    type: 'text',
    nullable: true,
    isKeyCut: true,
    isIndexed: slot !== null,
    get expression() {
      return collated();
    },
    get key() {
      return slot === null ? `${first200(collated())} COLLATE "C"` : `r.${slot}`;
    },
  };
};

const text = (expression: string): FieldSql => lazyText(() => expression);

const related = (table: string, column: string, key: string): string =>
  `(SELECT x.${column} FROM ${table} x WHERE x.organization_id = r.organization_id AND x.id = r.${key})`;

/** Text columns of related records. */
const relatedText: Readonly<Record<string, string>> = {
  owner_email: related('members', 'email', 'owner_id'),
  account_domain: related('accounts', 'domain', 'account_id'),
  account_name: related('accounts', 'name_fold', 'account_id'),
  contact_email: related('contacts', 'email', 'contact_id'),
  contact_first_name: related('contacts', `folds->>'first_name'`, 'contact_id'),
  contact_last_name: related('contacts', `folds->>'last_name'`, 'contact_id'),
};

/** The system field of an opportunity that means the same as each relation; contacts have these relations too. */
const relationFields: Readonly<Record<RelationName, string>> = {
  'account.domain': 'account_domain',
  'account.name': 'account_name',
  'contact.email': 'contact_email',
};

/** Columns that have an index of their own behind organization (and pipeline). */
const indexed: Readonly<Record<ObjectType, ReadonlySet<string>>> = {
  opportunity: new Set([
    'created_at',
    'updated_at',
    'stage_id',
    'owner_id',
    'amount',
    'close_date',
    'next_action_date',
    'account_id',
    'contact_id',
  ]),
  account: new Set(['created_at', 'updated_at', 'domain']),
  contact: new Set(['created_at', 'updated_at', 'email', 'account_id']),
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
    const folds = parameters.add([...labels.values()].map(fold));
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
    const column = relatedText[name];
    if (column !== undefined) return text(column);
  }
  // Only opportunities always have a name.
  if (name === 'name') {
    const key = first200('r.name_fold');
    return scalar('r.name_fold', 'text', objectType !== 'opportunity', { key, isIndexed: true });
  }
  const type = columnTypes[field.kind];
  if (field.kind === 'text') return text(`r.folds->>'${name}'`);
  return scalar(`r.${name}`, type, field.nullable, { isIndexed: indexed[objectType].has(name) });
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
  return text(relatedText[relationFields[ref.name]] ?? 'NULL');
};
