import type { FieldSelection, ObjectType } from '@crm/domain';
import type { Database } from '../database.js';
import { Parameters } from './parameters.js';
import { recordSql, tables } from './record-sql.js';

/** Which record to read, and what of it. */
export interface RecordRequest {
  readonly organizationId: string;
  readonly objectType: ObjectType;
  readonly id: string;
  /** May be made for all pipelines: a record holds values of its own pipeline's fields only. */
  readonly selection: FieldSelection;
}

/** One record as the database made it. */
export interface StoredRecord {
  /** The record as JSON text. */
  readonly record: string;
  readonly version: number;
  /** Null for objects without pipelines. */
  readonly pipelineId: string | null;
}

/** Reads one record by its primary key, or null where the organization has none of this id. */
export const readRecord = async (database: Database, request: RecordRequest): Promise<StoredRecord | null> => {
  const { organizationId, objectType } = request;
  const parameters = new Parameters();
  const record = recordSql(objectType, request.selection, parameters);
  const pipelineId = objectType === 'opportunity' ? 'r.pipeline_id' : 'NULL';
  const text = `
    SELECT ${record} AS record, r.version, ${pipelineId} AS "pipelineId"
      FROM ${tables[objectType]} r WHERE r.organization_id = $1 AND r.id = ${parameters.add(request.id)}`;
  const statement = { text, values: parameters.values };
  const [row] = await database.query<StoredRecord & Record<string, unknown>>(organizationId, statement);
  return row ?? null;
};
