import { areNearDomains, compareCodePoints, type CursorPosition, type ObjectType } from '@crm/domain';
import type { Queries } from '../database.js';
import { tables } from './fields.js';

/** Records that one page checks. A page may find fewer duplicates than its limit, or none, and still not be the last. */
export const recordsChecked = 200;
/** Each record is compared with at most this many older records of the same name or phone, newest first. */
export const comparedRecords = 20;

/** Why two records may be duplicates. */
export type DuplicateReason = 'same_name' | 'same_name_near_domain' | 'same_phone';

/** The fields of a record that help a person judge whether it is a duplicate. */
export interface DuplicateRecord {
  readonly id: string;
  readonly name: string | null;
  /** The domain of an account, the email of a contact, or the account domain of an opportunity. */
  readonly key: string | null;
}

/** A record and the older records that it may duplicate. */
export interface Duplicate extends DuplicateRecord {
  readonly candidates: readonly (DuplicateRecord & { readonly reasons: readonly DuplicateReason[] })[];
  /** Whether more records have its name or phone than it was compared with. */
  readonly truncated: boolean;
}

/** A page of duplicates. */
export interface DuplicatePage {
  readonly duplicates: readonly Duplicate[];
  readonly nextPosition: CursorPosition | null;
}

/** A page to read. */
export interface DuplicateRequest {
  readonly organizationId: string;
  readonly objectType: ObjectType;
  /** The id of the last record that the previous page checked. */
  readonly position: CursorPosition | null;
  readonly limit: number;
}

interface Comparison {
  readonly reason: DuplicateReason;
  /** The condition that the index serves, on the older record `c` and the record `r`. */
  readonly found: string;
  /** The exact condition, because the index compares only the first 200 characters, or names without their punctuation. */
  readonly fits: string;
}

const normalized = (record: 'c' | 'r', name: string): string =>
  `left((${record}.normalized->>'${name}') COLLATE "C", 200)`;
/** The name of an account, in which punctuation equals a space. The expression of an index. */
const spaced = (record: 'c' | 'r'): string =>
  `btrim(regexp_replace(${record}.normalized_name, '[\\s!-/:-@[-\`{-~\\u2010-\\u201f]+', ' ', 'g'))`;
const sameName = 'left(c.normalized_name, 200) = left(r.normalized_name, 200)';

const sameKey = (key: string): string => `c.normalized_name = r.normalized_name AND c.${key} = r.${key}`;
/** A name of nothing but punctuation equals only itself. */
const sameWords = `(${spaced('r')} <> '' OR c.normalized_name = r.normalized_name)`;
const samePhone = `${normalized('c', 'phone')} = ${normalized('r', 'phone')}`;

const comparisons: Readonly<Record<ObjectType, readonly Comparison[]>> = {
  account: [{ reason: 'same_name_near_domain', found: `${spaced('c')} = ${spaced('r')}`, fits: sameWords }],
  contact: [
    { reason: 'same_name', found: sameName, fits: sameKey('account_id') },
    { reason: 'same_phone', found: samePhone, fits: 'c.phone = r.phone' },
  ],
  opportunity: [
    { reason: 'same_name', found: `c.pipeline_id = r.pipeline_id AND ${sameName}`, fits: sameKey('account_key') },
  ],
};

const names: Readonly<Record<ObjectType, (record: 'c' | 'r') => string>> = {
  account: (record) => `${record}.name`,
  contact: (record) => `nullif(concat_ws(' ', ${record}.first_name, ${record}.last_name), '')`,
  opportunity: (record) => `${record}.name`,
};
const keys: Readonly<Record<ObjectType, string>> = {
  account: 'domain',
  contact: 'email',
  opportunity: 'account_domain',
};

/** The older records of one comparison as a JSON array. One more record is read than compared, to find out whether there are more. */
const lookUpSql = (objectType: ObjectType, { found, fits }: Comparison): string => `(
  SELECT coalesce(json_agg(json_build_object('id', c.id, 'at', extract(epoch FROM c.created_at), 'name', ${names[objectType]('c')}, 'key', c.${keys[objectType]},
           'fits', coalesce(${fits}, false)) ORDER BY c.created_at DESC, c.id DESC), '[]')
    FROM (SELECT c.* FROM ${tables[objectType]} c
           WHERE c.organization_id = $1 AND ${found} AND (c.created_at, c.id) < (r.created_at, r.id)
           ORDER BY c.created_at DESC, c.id DESC LIMIT ${comparedRecords + 1}) c)`;

/**
 * Checks records in id order. For each record, an index finds the older records of the same name or phone. Each index scan stops after 21
 * rows, so a name that a hundred thousand records share costs no more than any other.
 *
 * ```sql
 * SELECT r.id, r.name AS name, r.domain AS key, json_build_array((SELECT … FROM (SELECT c.* FROM accounts c
 *          WHERE c.organization_id = $1 AND btrim(regexp_replace(c.normalized_name, …)) = … AND (c.created_at, c.id) < (r.created_at, r.id)
 *          ORDER BY c.created_at DESC, c.id DESC LIMIT 21) c)) AS found
 *   FROM (SELECT r.* FROM accounts r WHERE r.organization_id = $1 AND r.id > $2::uuid ORDER BY r.id LIMIT 201) r ORDER BY r.id
 * ```
 */
const pageSql = (objectType: ObjectType): string => `
  SELECT r.id, ${names[objectType]('r')} AS name, r.${keys[objectType]} AS key,
         json_build_array(${comparisons[objectType].map((one) => lookUpSql(objectType, one)).join(', ')}) AS found
    FROM (SELECT r.* FROM ${tables[objectType]} r
           WHERE r.organization_id = $1 AND r.id > $2::uuid ORDER BY r.id LIMIT ${recordsChecked + 1}) r
   ORDER BY r.id`;

interface Row extends DuplicateRecord {
  /** For each comparison. */
  readonly found: readonly (readonly (DuplicateRecord & { readonly at: number; readonly fits: boolean })[])[];
}

const toDuplicate = (objectType: ObjectType, { id, name, key, found }: Row): Duplicate => {
  const candidates = new Map<string, DuplicateRecord & { at: number; reasons: DuplicateReason[] }>();
  for (const [index, records] of found.entries()) {
    const reason = comparisons[objectType][index]?.reason;
    if (reason === undefined) throw new Error('A comparison has no reason');
    for (const { fits, ...record } of records.slice(0, comparedRecords)) {
      if (!fits || (reason === 'same_name_near_domain' && !areNearDomains(key ?? '', record.key ?? ''))) continue;
      const candidate = candidates.get(record.id) ?? { ...record, reasons: [] };
      candidate.reasons.push(reason);
      candidates.set(record.id, candidate);
    }
  }
  const truncated = found.some(({ length }) => length > comparedRecords);
  const newestFirst = [...candidates.values()].sort((a, b) => b.at - a.at || compareCodePoints(b.id, a.id));
  return { id, name, key, candidates: newestFirst.map(({ at: _at, ...candidate }) => candidate), truncated };
};

const nil = '00000000-0000-0000-0000-000000000000';

/** Reads a page of duplicates in one statement. Each pair is found once: at the newer record. */
export const findDuplicates = async (database: Queries, request: DuplicateRequest): Promise<DuplicatePage> => {
  const { organizationId, objectType, position, limit } = request;
  const statement = { text: pageSql(objectType), values: [position?.[0] ?? nil] };
  const rows = await database.query<Row & Record<string, unknown>>(organizationId, statement);
  const duplicates: Duplicate[] = [];
  for (const [index, row] of rows.slice(0, recordsChecked).entries()) {
    const duplicate = toDuplicate(objectType, row);
    if (duplicate.candidates.length > 0) duplicates.push(duplicate);
    const isLastChecked = duplicates.length === limit || index === recordsChecked - 1;
    if (isLastChecked) return { duplicates, nextPosition: rows.length > index + 1 ? [row.id] : null };
  }
  return { duplicates, nextPosition: null };
};
