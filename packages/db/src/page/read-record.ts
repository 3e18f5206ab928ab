import type { FieldSelection, ObjectType } from '@crm/domain';
import type { Database } from '../database.js';
import { Parameters } from './parameters.js';
import { recordSql, tables } from './record-sql.js';

/** One record as the database made it. */
export interface RecordText {
  /** The record as JSON text. */
  readonly record: string;
  readonly version: number;
  /** The pipeline of an opportunity; null for other objects. */
  readonly pipelineId: string | null;
}

/** Reads one record by its id, or null when the organization has none such. */
export const readRecord = async (
  database: Database,
  request: {
    readonly organizationId: string;
    readonly objectType: ObjectType;
    readonly id: string;
    readonly selection: FieldSelection;
  },
): Promise<RecordText | null> => {
  const { objectType, selection } = request;
  const parameters = new Parameters();
  const id = parameters.add(request.id);
  const pipeline = objectType === 'opportunity' ? 'r.pipeline_id' : 'NULL';
  const text = `
    SELECT ${recordSql(objectType, selection, parameters)} AS record, r.version, ${pipeline} AS "pipelineId"
      FROM ${tables[objectType]} r WHERE r.organization_id = $1 AND r.id = ${id}::uuid`;
  const statement = { text, values: parameters.values };
  const [row] = await database.query<RecordText & Record<string, unknown>>(request.organizationId, statement);
  return row ?? null;
};
