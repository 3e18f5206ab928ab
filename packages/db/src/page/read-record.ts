import type { FieldSelection } from '@crm/domain';
import type { Queries } from '../database.js';
import { readMarkText } from '../read-mark.js';
import { Parameters } from './parameters.js';
import { recordSql, tables } from './fields/record-sql.js';
import { idOfKeySql, keyValue, type RecordKey } from './record-key.js';

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
  const text = `
    SELECT ${recordSql(objectType, selection, parameters)} AS record, r.version, ${pipeline} AS "pipelineId",
           ${isMarked ? 'read_mark()' : 'NULL'} AS "readMark"
      FROM ${tables[objectType]} r WHERE r.organization_id = $1 AND r.id = ${id}`;
  const statement = { text, values: parameters.values };
  const [row] = await database.query<RecordText & Record<string, unknown>>(request.organizationId, statement);
  if (row === undefined) return null;
  return { ...row, readMark: row.readMark === null ? null : readMarkText(row.readMark) };
};
