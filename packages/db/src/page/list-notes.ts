import { type CursorPosition, maxPageBytes } from '@crm/domain';
import type { Queries } from '../database.js';
import { recordColumn } from '../connection/values.js';
import { bytesWithin } from './bound.js';
import { hasTrigram, wordSql } from './filter/text-parts.js';
import { type Page, recordsWithinBytes } from './list-page.js';
import { Parameters } from './parameters.js';
import { instantText } from './order/sort-keys.js';

/** A page of notes to read, newest first. */
export interface NotePageRequest {
  readonly organizationId: string;
  /** Only notes on this account. */
  readonly accountId: string | null;
  /** Only notes on this contact. */
  readonly contactId: string | null;
  /** Only notes on this opportunity. */
  readonly opportunityId: string | null;
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

const isOn = (link: string, column: string, id: string): string =>
  `EXISTS (SELECT FROM ${link} l WHERE l.organization_id = $1 AND l.${column} = ${id} AND l.note_id = n.id)`;

/** How many of the next notes are scanned for words before the trigram index looks up all matches. Pages of records do the same. */
const scannedForWords = 5_000;

/**
 * Ways to find the notes of a page:
 * - `in-order`: all notes by id, newest first
 * - `scan-next`: the matches among the next notes
 * - `sort-matches`: all matches of the trigram index, sorted
 */
type NoteStep = 'in-order' | 'scan-next' | 'sort-matches';

/**
 * The steps to run until one fills the page. Common words fill the page from the next notes. If the next notes do not fill it, the words
 * are rare, and sorting all matches is cheap. No index finds words shorter than a trigram, so these take one step.
 */
const stepsOf = (words: readonly string[]): readonly NoteStep[] =>
  words.some(hasTrigram) ? ['scan-next', 'sort-matches'] : ['in-order'];

/**
 * The notes of a page, newest first.
 *
 * ```sql
 * -- in-order
 * SELECT n.* FROM notes n WHERE n.organization_id = $1 ORDER BY n.id DESC LIMIT 101
 * -- scan-next, `q=acme`
 * SELECT n.* FROM (SELECT n.* FROM notes n WHERE n.organization_id = $1 ORDER BY n.id DESC LIMIT 5000) n
 *  WHERE n.search_text LIKE '%acme%' ORDER BY n.id DESC LIMIT 101
 * -- sort-matches; OFFSET 0 stops the planner from reading in id order in the hope of early matches
 * SELECT n.* FROM (SELECT n.* FROM notes n WHERE n.organization_id = $1 AND n.search_text LIKE '%acme%' OFFSET 0) n
 *  ORDER BY n.id DESC LIMIT 101
 * ```
 */
const notesSql = (request: NotePageRequest, step: NoteStep, parameters: Parameters): string => {
  const where = ['n.organization_id = $1'];
  if (request.accountId !== null) where.push(isOn('note_accounts', 'account_id', parameters.add(request.accountId)));
  if (request.contactId !== null) where.push(isOn('note_contacts', 'contact_id', parameters.add(request.contactId)));
  if (request.opportunityId !== null) {
    where.push(isOn('note_opportunities', 'opportunity_id', parameters.add(request.opportunityId)));
  }
  if (request.position !== null) where.push(`n.id < ${parameters.add(request.position[0])}::uuid`);
  const words = request.words.map((word) => wordSql('n', word, parameters));
  const from = (conditions: readonly string[]): string => `SELECT n.* FROM notes n WHERE ${conditions.join(' AND ')}`;
  const order = 'ORDER BY n.id DESC';
  if (step === 'in-order') return `${from([...where, ...words])} ${order}`;
  if (step === 'sort-matches') return `SELECT n.* FROM (${from([...where, ...words])} OFFSET 0) n ${order}`;
  return `SELECT n.* FROM (${from(where)} ${order} LIMIT ${scannedForWords}) n WHERE ${words.join(' AND ')} ${order}`;
};

const readNotes = async (database: Queries, request: NotePageRequest, step: NoteStep): Promise<readonly NoteRow[]> => {
  const parameters = new Parameters();
  const notes = notesSql(request, step, parameters);
  const bytes = `${parameters.add(maxPageBytes)}::bigint`;
  const text = `
    SELECT s.id, CASE WHEN ${bytesWithin(bytes).isWithin} THEN s.record END AS ${recordColumn}
      FROM (SELECT n.id, CASE WHEN n.bytes_before <= ${bytes} THEN ${noteRecordSql} END AS record
              FROM (SELECT n.*, coalesce(sum(octet_length(n.content)) OVER before, 0) AS bytes_before
                      FROM (${notes} LIMIT ${request.limit + 1}) n
                    WINDOW before AS (ORDER BY n.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) n) s
    WINDOW w AS (ORDER BY s.id DESC ROWS UNBOUNDED PRECEDING)
     ORDER BY s.id DESC`;
  const statement = { text, values: parameters.values };
  return database.query<NoteRow & Record<string, unknown>>(request.organizationId, statement);
};

/**
 * Reads a page of notes. Without words, this takes one statement. Ids contain the time of creation, so newest first is descending id
 * order. The primary key serves the list of all notes, and the index on (organization_id, account_id, note_id) serves the list of one
 * account.
 *
 * The page ends early when it reaches `maxPageBytes`. JSON is built only for notes whose preceding contents are within the limit. The JSON
 * can be longer than the contents because it escapes characters, so its length is checked too.
 */
export const listNotes = async (database: Queries, request: NotePageRequest): Promise<Page> => {
  let rows: readonly NoteRow[] = [];
  for (const step of stepsOf(request.words)) {
    rows = await readNotes(database, request, step);
    if (rows.length > request.limit) break;
  }
  const records = recordsWithinBytes(rows.slice(0, request.limit));
  const last = rows[records.length - 1];
  const isLast = records.length === rows.length || last === undefined;
  return { records, nextPosition: isLast ? null : [last.id] };
};

/** Whether the organization has a record with this id. */
export const recordExists = async (
  database: Queries,
  organizationId: string,
  table: 'accounts' | 'contacts' | 'opportunities',
  id: string,
): Promise<boolean> => {
  const text = `SELECT FROM ${table} WHERE organization_id = $1 AND id = $2`;
  return (await database.query(organizationId, { text, values: [id] })).length > 0;
};
