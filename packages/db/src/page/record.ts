import { type FieldSelection, type ObjectType, type SystemField, systemFields } from '@crm/domain';
import type { Queries } from '../database.js';
import { readMarkText } from '../read-mark.js';
import { related, stageValues, tables } from './fields.js';
import { instantText } from './order.js';
import { Parameters } from './parameters.js';

const ownerEmail = related('members', 'email', 'owner_id');

/** The most members whose emails a page binds: looking each up in the table takes a third of the time of a page. */
const mostBoundEmails = 100;

/** The other domains or emails that find the record `r`, as JSON. */
const aliases = (object: 'account' | 'contact', key: string): string =>
  `(SELECT coalesce(json_agg(l.${key} ORDER BY l.${key} COLLATE "C"), '[]') FROM ${object}_aliases l
     WHERE l.organization_id = $1 AND l.${object}_id = r.id)`;

/** Computed system fields. All others are columns of the same name. */
const computed: Readonly<Record<ObjectType, Readonly<Record<string, string>>>> = {
  opportunity: {
    amount: 'trim_scale(r.amount)',
    owner_email: ownerEmail,
    ...stageValues,
    weighted_amount: `${stageValues.weighted_amount}::float8`,
    seconds_in_stage: 'greatest(0, floor(extract(epoch FROM now() - r.stage_entered_at)))::bigint',
    days_to_close: `trim_scale(round(extract(epoch FROM r.closed_at - r.created_at) / 86400, 8))`,
    pipeline_name: related('pipelines', 'name', 'pipeline_id'),
    account_external_id: related('accounts', 'external_id', 'account_id'),
    contact_external_id: related('contacts', 'external_id', 'contact_id'),
    account_name: related('accounts', 'name', 'account_id'),
    contact_first_name: related('contacts', 'first_name', 'contact_id'),
    contact_last_name: related('contacts', 'last_name', 'contact_id'),
  },
  account: { additional_domains: aliases('account', 'domain') },
  contact: {
    additional_emails: aliases('contact', 'email'),
    name: `nullif(concat_ws(' ', r.first_name, r.last_name), '')`,
    account_domain: related('accounts', 'domain', 'account_id'),
    account_external_id: related('accounts', 'external_id', 'account_id'),
  },
};

/** A system field as a pair of a JSON object, as SQL text over the record `r`. */
const pairSql = (
  objectType: ObjectType,
  { name, kind, nullable }: SystemField,
  value = computed[objectType][name] ?? `r.${name}`,
): string => {
  const json = kind === 'timestamp' ? `'"' || ${instantText(value)} || '"'` : `to_json(${value})::text`;
  return `'"${name}":' || ${nullable ? `coalesce(${json}, 'null')` : json}`;
};

/** The custom values of a selection, as a pair of a JSON object. */
const customSql = ({ custom }: FieldSelection, parameters: Parameters): string =>
  custom.length === 0
    ? `'"custom_fields":{}'`
    : `'"custom_fields":' || (SELECT coalesce(jsonb_object_agg(slug, r.custom_fields->slug), '{}')
         FROM unnest(${parameters.add(custom.map(({ slug }) => slug))}::text[]) slug WHERE r.custom_fields ? slug)`;

const alwaysOf = (objectType: ObjectType): readonly SystemField[] =>
  systemFields[objectType].filter(({ always }) => always);

/**
 * One record as JSON text, concatenated from texts: jsonb, which is parsed, sorted and printed, takes twice as long.
 *
 * The column `r.record` stores the text of an opportunity in its default selection, `{…,"custom_fields":{…}}`. Other selections start from
 * that text, too, because it has `additional_contacts`. No value inside it can contain `"custom_fields":`, because its quotes are escaped.
 * They cut it by bytes: `left` counts characters, which takes five times as long.
 *
 * @param emails - the emails of members by id, for a page
 */
export const recordSql = (
  objectType: ObjectType,
  selection: FieldSelection,
  parameters: Parameters,
  emails: ReadonlyMap<string, string> = new Map(),
): string => {
  const isBound = emails.size > 0 && emails.size <= mostBoundEmails;
  const extras = selection.extras.map((field) => {
    if (field.name !== 'owner_email' || !isBound) return pairSql(objectType, field);
    const bound = parameters.add(JSON.stringify(Object.fromEntries(emails)));
    // A member may be newer than the setup in memory.
    return pairSql(objectType, field, `coalesce(${bound}::jsonb->>r.owner_id::text, ${ownerEmail})`);
  });
  const object = (pairs: readonly string[]): string => `'{' || ${pairs.join(` || ',' || `)} || '}'`;
  if (objectType !== 'opportunity')
    return object([
      ...alwaysOf(objectType).map((field) => pairSql(objectType, field)),
      customSql(selection, parameters),
      ...extras,
    ]);
  if (selection.isAllVisible && extras.length === 0) return 'r.record';
  const pairs = selection.isAllVisible
    ? [`convert_from(substring(convert_to(r.record, 'UTF8') FOR octet_length(r.record) - 1), 'UTF8')`, ...extras]
    : [`split_part(r.record, '"custom_fields":', 1) || ${customSql(selection, parameters)}`, ...extras];
  return `${pairs.join(` || ',' || `)} || '}'`;
};

/** Names one record by its id, or an account or contact by its normalized natural key. */
export type RecordKey =
  | { readonly objectType: 'opportunity' | 'account' | 'contact'; readonly id: string }
  | { readonly objectType: 'account'; readonly domain: string }
  | { readonly objectType: 'contact'; readonly email: string };

/** The text to look up. */
export const keyValue = (key: RecordKey): string => ('id' in key ? key.id : 'domain' in key ? key.domain : key.email);

/**
 * The id of the record that a key names, as SQL. It is the record that has the domain or email. If none has it, it is the record into
 * which a former holder of the domain or email was merged. All reads by natural key use this lookup.
 *
 * `{domain}` → `coalesce((SELECT k.id FROM accounts k WHERE k.organization_id = $1 AND k.domain = $2::text), (SELECT l.account_id FROM
 * account_aliases l WHERE l.organization_id = $1 AND l.domain = $2::text))`
 *
 * @param value - the placeholder of {@link keyValue}
 */
export const idOfKeySql = (key: RecordKey, value: string): string => {
  if ('id' in key) return `${value}::uuid`;
  const [object, column] = 'domain' in key ? ['account', 'domain'] : ['contact', 'email'];
  const own = `SELECT k.id FROM ${object}s k WHERE k.organization_id = $1 AND k.${column} = ${value}::text`;
  const alias = `SELECT l.${object}_id FROM ${object}_aliases l WHERE l.organization_id = $1 AND l.${column} = ${value}::text`;
  return `coalesce((${own}), (${alias}))`;
};

/** One record as the database returns it. */
export interface RecordText {
  /** The record as JSON text. */
  readonly record: string;
  readonly version: number;
  /** The pipeline of an opportunity; null for other objects. */
  readonly pipelineId: string | null;
  /** The state that a replica must have reached to return the same; null unless requested. */
  readonly readMark: string | null;
}

/** Reads one record by its id or natural key. Returns null if the organization has no such record. */
export const readRecord = async (
  database: Queries,
  request: RecordKey & {
    readonly organizationId: string;
    readonly selection: FieldSelection;
    /** Whether to return a read mark; only on the primary. */
    readonly isMarked?: boolean;
  },
): Promise<RecordText | null> => {
  const { objectType, selection, isMarked = false } = request;
  const parameters = new Parameters();
  const id = idOfKeySql(request, parameters.add(keyValue(request)));
  const pipeline = objectType === 'opportunity' ? 'r.pipeline_id' : 'NULL';
  const statement = parameters.statement(`
    SELECT ${recordSql(objectType, selection, parameters)} AS record, r.version, ${pipeline} AS "pipelineId",
           ${isMarked ? 'read_mark()' : 'NULL'} AS "readMark"
      FROM ${tables[objectType]} r WHERE r.organization_id = $1 AND r.id = ${id}`);
  const [row] = await database.query<RecordText & Record<string, unknown>>(request.organizationId, statement);
  if (row === undefined) return null;
  return { ...row, readMark: row.readMark === null ? null : readMarkText(row.readMark) };
};

/** The version of a record or note; null if the organization has none with this id. */
export const findVersion = async (
  database: Queries,
  organizationId: string,
  kind: ObjectType | 'note',
  id: string,
): Promise<number | null> => {
  const table = kind === 'note' ? 'notes' : tables[kind];
  const text = `SELECT version FROM ${table} WHERE organization_id = $1 AND id = $2`;
  const [row] = await database.query<{ version: number }>(organizationId, { text, values: [id] });
  return row?.version ?? null;
};

/** The ids of a list that no record of the organization has. */
export const findMissingIds = async (
  database: Queries,
  organizationId: string,
  objectType: ObjectType,
  ids: readonly string[],
): Promise<readonly string[]> => {
  const text = `SELECT id FROM ${tables[objectType]} WHERE organization_id = $1 AND id = ANY ($2::uuid[])`;
  const rows = await database.query<{ id: string }>(organizationId, { text, values: [ids] });
  const found = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !found.has(id));
};

/** Whether the organization has a record with this id. */
export const recordExists = async (
  database: Queries,
  organizationId: string,
  objectType: ObjectType,
  id: string,
): Promise<boolean> => {
  const text = `SELECT FROM ${tables[objectType]} WHERE organization_id = $1 AND id = $2`;
  return (await database.query(organizationId, { text, values: [id] })).length > 0;
};
