import {
  areNearDomains,
  compareCodePoints,
  type CursorPosition,
  maxPageBytes,
  type ObjectType,
  type Steps,
} from '@crm/domain';
import { recordColumn } from '../connection/values.js';
import type { Queries } from '../database.js';
import { tables } from './fields.js';
import { bytesWithin, type Page, recordsWithinBytes } from './list-page.js';

/** Records that one page checks. A page may find fewer duplicates than its limit, or none, and still not be the last. */
export const recordsChecked = 200;
/** Each record is compared with at most this many older records of the same name or phone, newest first. */
export const comparedRecords = 20;

/** Why two records may be duplicates. */
export type DuplicateReason = 'same_name' | 'same_name_near_domain' | 'same_phone';

/** A record and the older records that it may duplicate. */
interface Duplicate {
  readonly id: string;
  readonly candidates: readonly { readonly id: string; readonly reasons: readonly DuplicateReason[] }[];
  /** Whether more records have its name or phone than it was compared with. */
  readonly truncated: boolean;
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

/** The length of a record's name and key. Its JSON is longer if it escapes characters. */
const bytesOf = (objectType: ObjectType, record: 'c' | 'r'): string =>
  `coalesce(octet_length(${names[objectType](record)}), 0) + coalesce(octet_length(${record}.${keys[objectType]}), 0)`;

/**
 * The older records of one comparison as a JSON array of ids, times and lengths. One more record is read than compared, to find out whether
 * there are more. Only accounts need their key here, because TypeScript compares domains.
 */
const lookUpSql = (objectType: ObjectType, { found, fits }: Comparison): string => `(
  SELECT json_build_object('truncated', count(*) > ${comparedRecords}, 'records', coalesce(
           json_agg(json_build_array(c.id, extract(epoch FROM c.created_at), ${bytesOf(objectType, 'c')}, ${objectType === 'account' ? 'c.domain' : 'NULL'})
             ORDER BY c.rank) FILTER (WHERE c.rank <= ${comparedRecords} AND ${fits}), '[]'))
    FROM (SELECT c.*, row_number() OVER (ORDER BY c.created_at DESC, c.id DESC) AS rank
            FROM (SELECT c.* FROM ${tables[objectType]} c
                   WHERE c.organization_id = $1 AND ${found} AND (c.created_at, c.id) < (r.created_at, r.id)
                   ORDER BY c.created_at DESC, c.id DESC LIMIT ${comparedRecords + 1}) c) c)`;

/**
 * Checks records in id order. For each record, an index finds the older records of the same name or phone. Each index scan stops after 21
 * rows, so a name that a hundred thousand records share costs no more than any other.
 *
 * ```sql
 * SELECT r.id, r.domain AS key, octet_length(…) AS bytes, json_build_array((SELECT … FROM (SELECT c.*, row_number() OVER (…) AS rank
 *          FROM (SELECT c.* FROM accounts c WHERE c.organization_id = $1 AND btrim(regexp_replace(c.normalized_name, …)) = …
 *                   AND (c.created_at, c.id) < (r.created_at, r.id) ORDER BY c.created_at DESC, c.id DESC LIMIT 21) c) c)) AS found
 *   FROM (SELECT r.* FROM accounts r WHERE r.organization_id = $1 AND r.id > $2::uuid ORDER BY r.id LIMIT 201) r ORDER BY r.id
 * ```
 */
const checkSql = (objectType: ObjectType): string => `
  SELECT r.id, ${objectType === 'account' ? 'r.domain' : 'NULL'} AS key, ${bytesOf(objectType, 'r')} AS bytes,
         json_build_array(${comparisons[objectType].map((one) => lookUpSql(objectType, one)).join(', ')}) AS found
    FROM (SELECT r.* FROM ${tables[objectType]} r
           WHERE r.organization_id = $1 AND r.id > $2::uuid ORDER BY r.id LIMIT ${recordsChecked + 1}) r
   ORDER BY r.id`;

/** A checked record. */
interface Row {
  readonly id: string;
  readonly key: string | null;
  readonly bytes: number;
  /** For each comparison. */
  readonly found: readonly {
    readonly truncated: boolean;
    readonly records: readonly (readonly [id: string, at: number, bytes: number, key: string | null])[];
  }[];
}

/** More than the JSON of a record without its name and key. */
const otherBytes = 200;

const toDuplicate = (
  objectType: ObjectType,
  { id, key, bytes, found }: Row,
): Duplicate & { readonly bytes: number } => {
  const candidates = new Map<string, { id: string; at: number; bytes: number; reasons: DuplicateReason[] }>();
  for (const [index, { records }] of found.entries()) {
    const reason = comparisons[objectType][index]?.reason;
    if (reason === undefined) throw new Error('A comparison has no reason');
    for (const [other, at, length, otherKey] of records) {
      if (reason === 'same_name_near_domain' && !areNearDomains(key ?? '', otherKey ?? '')) continue;
      const candidate = candidates.get(other) ?? { id: other, at, bytes: length, reasons: [] };
      candidate.reasons.push(reason);
      candidates.set(other, candidate);
    }
  }
  const newestFirst = [...candidates.values()].sort((a, b) => b.at - a.at || compareCodePoints(b.id, a.id));
  return {
    id,
    candidates: newestFirst.map(({ id: candidate, reasons }) => ({ id: candidate, reasons })),
    truncated: found.some(({ truncated }) => truncated),
    bytes: newestFirst.reduce((sum, candidate) => sum + candidate.bytes + otherBytes, bytes + otherBytes),
  };
};

/** The duplicates among the checked records, up to a limit of their number and bytes. Each record is a step. */
function* chooseDuplicates({ objectType, limit }: DuplicateRequest, rows: readonly Row[]) {
  const duplicates: Duplicate[] = [];
  let pageBytes = 0;
  for (const row of rows.slice(0, recordsChecked)) {
    const { bytes, ...duplicate } = toDuplicate(objectType, row);
    yield;
    if (duplicate.candidates.length === 0) continue;
    pageBytes += bytes;
    if (duplicates.length === limit || (duplicates.length > 0 && pageBytes > maxPageBytes)) {
      return { duplicates, lastChecked: duplicates.at(-1)?.id ?? null };
    }
    duplicates.push(duplicate);
  }
  return { duplicates, lastChecked: rows.length > recordsChecked ? (rows[recordsChecked - 1]?.id ?? null) : null };
}

/** A record as the response shows it. */
const shownSql = (objectType: ObjectType, record: 'c' | 'r'): string =>
  `'id', ${record}.id, 'name', ${names[objectType](record)}, 'key', ${record}.${keys[objectType]}`;

/**
 * The JSON of the chosen duplicates, of which `$2` has the ids, up to `$3` bytes. A record that was deleted after it was checked is left
 * out, and so is one whose candidates were deleted.
 */
const duplicatesSql = (objectType: ObjectType): string => `
  SELECT s.id, CASE WHEN ${bytesWithin('$3::bigint').isWithin} THEN s.record END AS ${recordColumn}
    FROM (SELECT r.id, d.position, json_build_object(${shownSql(objectType, 'r')}, 'candidates', k.candidates, 'truncated', d.duplicate->'truncated')::text AS record
            FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS d(duplicate, position)
            JOIN ${tables[objectType]} r ON r.organization_id = $1 AND r.id = (d.duplicate->>'id')::uuid
           CROSS JOIN LATERAL (
             SELECT json_agg(json_build_object(${shownSql(objectType, 'c')}, 'reasons', o.candidate->'reasons') ORDER BY o.position) AS candidates
               FROM jsonb_array_elements(d.duplicate->'candidates') WITH ORDINALITY AS o(candidate, position)
               JOIN ${tables[objectType]} c ON c.organization_id = $1 AND c.id = (o.candidate->>'id')::uuid) k
           WHERE k.candidates IS NOT NULL) s
  WINDOW w AS (ORDER BY s.position ROWS UNBOUNDED PRECEDING)
   ORDER BY s.position`;

interface ShownRow extends Record<string, unknown> {
  readonly id: string;
  readonly [recordColumn]: Buffer | null;
}

const nil = '00000000-0000-0000-0000-000000000000';

/**
 * Reads a page of duplicates: one statement checks records, and one builds the JSON of those that have candidates. Each pair is found once: at
 * the newer record. The page ends early when it reaches `maxPageBytes`.
 * @param runInTurns - runs the comparison of domains, which takes milliseconds
 */
export const findDuplicates = async (
  database: Queries,
  request: DuplicateRequest,
  runInTurns: <Result>(steps: Steps<Result>) => Promise<Result>,
): Promise<Page> => {
  const { organizationId, objectType, position } = request;
  const check = { text: checkSql(objectType), values: [position?.[0] ?? nil] };
  const rows = await database.query<Row & Record<string, unknown>>(organizationId, check);
  const { duplicates, lastChecked } = await runInTurns(chooseDuplicates(request, rows));
  const nextPosition = lastChecked === null ? null : [lastChecked];
  if (duplicates.length === 0) return { records: [], nextPosition };
  const show = { text: duplicatesSql(objectType), values: [JSON.stringify(duplicates), maxPageBytes] };
  const shown = await database.query<ShownRow>(organizationId, show);
  const records = recordsWithinBytes(shown);
  const lastShown = records.length < shown.length ? shown[records.length - 1] : undefined;
  return { records, nextPosition: lastShown === undefined ? nextPosition : [lastShown.id] };
};
