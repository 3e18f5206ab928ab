import { type CursorPosition, maxPageBytes } from '@crm/domain';
import type { Queries } from '../database.js';
import { recordColumn } from '../connection/values.js';
import { readMarkText } from '../read-mark.js';
import { hasTrigram, wordSql } from './comparison.js';
import { bytesWithin, type Page, recordsWithinBytes } from './list-page.js';
import { instantText } from './order.js';
import { Parameters } from './parameters.js';

/** A page of notes to read, newest first. */
export interface NotePageRequest {
  readonly organizationId: string;
  /** Only notes on one of these accounts; null for all notes. */
  readonly accountIds: readonly string[] | null;
  /** Only notes on one of these contacts. */
  readonly contactIds: readonly string[] | null;
  /** Only notes on one of these opportunities. */
  readonly opportunityIds: readonly string[] | null;
  /** Normalized words, each of which the title or the content must contain. */
  readonly words: readonly string[];
  /** The id of the last note of the previous page. */
  readonly position: CursorPosition | null;
  readonly limit: number;
}

interface NoteRow {
  readonly id: string;
  /** Null for a note beyond the page's byte limit. */
  readonly [recordColumn]: Buffer | null;
}

const natural = (link: string, table: string, column: string, key: string): string =>
  `coalesce((SELECT json_agg(x.${column} ORDER BY x.${column}) FROM ${link} l
     JOIN ${table} x ON x.organization_id = $1 AND x.id = l.${key}
    WHERE l.organization_id = $1 AND l.note_id = n.id), '[]')`;

const linked = (link: string, key: string): string =>
  `coalesce((SELECT json_agg(l.${key} ORDER BY l.${key}) FROM ${link} l
    WHERE l.organization_id = $1 AND l.note_id = n.id), '[]')`;

/** A note `n` as JSON text, in a statement with the organization as `$1`. */
export const noteRecordSql = `json_build_object('id', n.id, 'title', n.title, 'content', n.content,
  'account_ids', ${linked('note_accounts', 'account_id')}, 'contact_ids', ${linked('note_contacts', 'contact_id')},
  'opportunity_ids', ${linked('note_opportunities', 'opportunity_id')},
  'account_domains', ${natural('note_accounts', 'accounts', 'domain', 'account_id')},
  'contact_emails', ${natural('note_contacts', 'contacts', 'email', 'contact_id')},
  'created_at', ${instantText('n.created_at')}, 'updated_at', ${instantText('n.updated_at')}, 'version', n.version)::text`;

/** A list of records, on one of which a note must be. */
interface Targets {
  /** The table and the column of its links to notes. */
  readonly link: readonly [table: string, column: string];
  readonly ids: readonly string[];
}

const targetsOf = ({ accountIds, contactIds, opportunityIds }: NotePageRequest): readonly Targets[] => {
  const targets = (table: string, column: string, ids: readonly string[] | null): Targets[] =>
    ids === null ? [] : [{ link: [table, column], ids }];
  return [
    ...targets('note_accounts', 'account_id', accountIds),
    ...targets('note_contacts', 'contact_id', contactIds),
    ...targets('note_opportunities', 'opportunity_id', opportunityIds),
  ];
};

const isOn = ({ link: [table, column], ids }: Targets, parameters: Parameters): string => {
  const [only, ...others] = ids;
  const isOne = others.length === 0 ? `= ${parameters.add(only)}::uuid` : `= ANY (${parameters.add(ids)}::uuid[])`;
  return `EXISTS (SELECT FROM ${table} l WHERE l.organization_id = $1 AND l.${column} ${isOne} AND l.note_id = n.id)`;
};

/**
 * The notes on one of several records: at most one page is read of each, from the index of the links, and the results are merged.
 *
 * @param after - the condition on the links after the previous page, or an empty text
 */
const isNextOfSeveral = (
  { link: [table, column], ids }: Targets,
  after: string,
  limit: number,
  parameters: Parameters,
) =>
  `n.id IN (SELECT x.note_id FROM unnest(${parameters.add(ids)}::uuid[]) AS i (id) CROSS JOIN LATERAL (
     SELECT l.note_id FROM ${table} l WHERE l.organization_id = $1 AND l.${column} = i.id${after}
      ORDER BY l.note_id DESC LIMIT ${limit}) x)`;

/** How many of the next notes are scanned for words before the trigram index looks up all matches. Pages of records do the same. */
const scannedForWords = 5_000;

/**
 * The notes of a page. Common words fill the page from the next notes. If these do not fill it, the words are rare, and sorting all
 * matches of the trigram index is cheap. The server runs the second step only then. No index finds words shorter than a trigram.
 *
 * ```sql
 * -- without words, or only with short ones
 * SELECT n.* FROM notes n WHERE n.organization_id = $1 ORDER BY n.id DESC LIMIT 101
 * -- `q=acme`; OFFSET 0 stops the planner from reading in id order in the hope of early matches
 * WITH scanned AS MATERIALIZED (
 *   SELECT n.* FROM (SELECT n.* FROM notes n WHERE n.organization_id = $1 ORDER BY n.id DESC LIMIT 5000) n
 *    WHERE n.search_text LIKE '%acme%' ORDER BY n.id DESC LIMIT 101)
 * (SELECT * FROM scanned WHERE (SELECT count(*) FROM scanned) = 101)
 * UNION ALL (SELECT n.* FROM (SELECT n.* FROM notes n WHERE n.organization_id = $1 AND n.search_text LIKE '%acme%' OFFSET 0) n
 *             WHERE (SELECT count(*) FROM scanned) < 101 ORDER BY n.id DESC LIMIT 101)
 * ```
 */
const notesSql = (request: NotePageRequest, parameters: Parameters): string => {
  const { position } = request;
  const limit = request.limit + 1;
  const [targets, ...others] = targetsOf(request);
  const last = position === null ? null : `${parameters.add(position[0])}::uuid`;
  const where = ['n.organization_id = $1'];
  if (targets !== undefined && targets.ids.length > 1 && others.length === 0 && request.words.length === 0)
    where.push(isNextOfSeveral(targets, last === null ? '' : ` AND l.note_id < ${last}`, limit, parameters));
  else if (targets !== undefined) where.push(...[targets, ...others].map((one) => isOn(one, parameters)));
  if (last !== null) where.push(`n.id < ${last}`);
  const words = request.words.map((word) => wordSql('n', word, parameters));
  const from = (conditions: readonly string[]): string => `SELECT n.* FROM notes n WHERE ${conditions.join(' AND ')}`;
  const end = `ORDER BY n.id DESC LIMIT ${limit}`;
  if (!request.words.some(hasTrigram)) return `${from([...where, ...words])} ${end}`;
  const next = `${from(where)} ORDER BY n.id DESC LIMIT ${scannedForWords}`;
  const found = '(SELECT count(*) FROM scanned)';
  return `
    WITH scanned AS MATERIALIZED (SELECT n.* FROM (${next}) n WHERE ${words.join(' AND ')} ${end})
    (SELECT * FROM scanned WHERE ${found} = ${limit})
    UNION ALL (SELECT n.* FROM (${from([...where, ...words])} OFFSET 0) n WHERE ${found} < ${limit} ${end})`;
};

/**
 * Reads a page of notes in one statement. Ids contain the time of creation, so newest first is descending id order. The primary key
 * serves the list of all notes, and the index on (organization_id, account_id, note_id) serves the list of one account.
 *
 * The page ends early when it reaches `maxPageBytes`. JSON is built only for notes whose preceding contents are within the limit. The JSON
 * can be longer than the contents because it escapes characters, so its length is checked too.
 */
export const listNotes = async (
  database: Queries,
  request: NotePageRequest,
  maxBytes: number = maxPageBytes,
): Promise<Page> => {
  const parameters = new Parameters();
  const bytes = `${parameters.add(maxBytes)}::bigint`;
  const statement = parameters.statement(`
    SELECT s.id, CASE WHEN ${bytesWithin(bytes).isWithin} THEN s.record END AS ${recordColumn}
      FROM (SELECT n.id, CASE WHEN n.bytes_before <= ${bytes} THEN ${noteRecordSql} END AS record
              FROM (SELECT n.*, coalesce(sum(octet_length(n.content)) OVER before, 0) AS bytes_before
                      FROM (${notesSql(request, parameters)}) n
                    WINDOW before AS (ORDER BY n.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) n) s
    WINDOW w AS (ORDER BY s.id DESC ROWS UNBOUNDED PRECEDING)
     ORDER BY s.id DESC`);
  const rows = await database.query<NoteRow & Record<string, unknown>>(request.organizationId, statement);
  const records = recordsWithinBytes(rows.slice(0, request.limit));
  const last = rows[records.length - 1];
  const isLast = records.length === rows.length || last === undefined;
  return { records, nextPosition: isLast ? null : [last.id] };
};

/** One note as the database returns it. */
export interface NoteText {
  /** The note as JSON text. */
  readonly record: string;
  readonly version: number;
  /** The state that a replica must have reached to return the same; null unless requested. */
  readonly readMark: string | null;
}

/** Reads one note by its id. Returns null if the organization has no such note. Set `isMarked` only on the primary. */
export const readNote = async (
  database: Queries,
  { organizationId, id, isMarked = false }: { organizationId: string; id: string; isMarked?: boolean },
): Promise<NoteText | null> => {
  const text = `
    SELECT ${noteRecordSql} AS record, n.version, ${isMarked ? 'read_mark()' : 'NULL'} AS "readMark"
      FROM notes n WHERE n.organization_id = $1 AND n.id = $2`;
  const statement = { text, values: [id] };
  const [row] = await database.query<NoteText & Record<string, unknown>>(organizationId, statement);
  if (row === undefined) return null;
  return { ...row, readMark: row.readMark === null ? null : readMarkText(row.readMark) };
};
