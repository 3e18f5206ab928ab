import type { CursorPosition, FieldSelection, ObjectType } from '@crm/domain';
import type { Database } from '../database.js';
import { Parameters } from './parameters.js';
import { recordSql, tables } from './record-sql.js';

/** A page to read, in the default order: newest first. */
export interface PageRequest {
  readonly organizationId: string;
  readonly objectType: ObjectType;
  readonly pipelineId: string | null;
  readonly stageId: string | null;
  /** Folded words that must all occur. */
  readonly words: readonly string[];
  /** Where the page before ended: `created_at` and `id` of its last record. */
  readonly position: CursorPosition | null;
  readonly limit: number;
  readonly selection: FieldSelection;
}

/** A page as the database made it. */
export interface Page {
  /** Each record as JSON text. */
  readonly records: readonly string[];
  /** Where the next page starts, or null when this is the last. */
  readonly nextPosition: CursorPosition | null;
}

interface PageRow {
  readonly record: string;
  readonly created_at: string;
  readonly id: string;
}

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

const conditions = (request: PageRequest, parameters: Parameters): string[] => {
  const found = ['r.organization_id = $1'];
  if (request.pipelineId !== null) found.push(`r.pipeline_id = ${parameters.add(request.pipelineId)}`);
  if (request.stageId !== null) found.push(`r.stage_id = ${parameters.add(request.stageId)}`);
  for (const word of request.words) found.push(`r.search_text LIKE ${parameters.add(`%${escapeLike(word)}%`)}`);
  if (request.position !== null) {
    const [createdAt, id] = request.position;
    found.push(`(r.created_at, r.id) < (${parameters.add(createdAt)}::timestamptz, ${parameters.add(id)}::uuid)`);
  }
  return found;
};

/**
 * Reads one page in one statement. Relies on (organization_id, pipeline_id[, stage_id], created_at, id), read backwards: a row
 * comparison goes straight to the position, however deep.
 */
export const listPage = async (database: Database, request: PageRequest): Promise<Page> => {
  const parameters = new Parameters();
  const where = conditions(request, parameters).join(' AND ');
  const record = recordSql(request.objectType, request.selection, parameters);
  const text = `
    SELECT ${record} AS record, to_char(r.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, r.id
      FROM ${tables[request.objectType]} r WHERE ${where}
     ORDER BY r.created_at DESC, r.id DESC LIMIT ${parameters.add(request.limit + 1)}`;
  const rows = await database.query<PageRow & Record<string, unknown>>(request.organizationId, {
    text,
    values: parameters.values,
  });
  const shown = rows.slice(0, request.limit);
  const last = shown.at(-1);
  const isLast = rows.length <= request.limit || last === undefined;
  return { records: shown.map((row) => row.record), nextPosition: isLast ? null : [last.created_at, last.id] };
};
