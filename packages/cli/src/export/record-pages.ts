import type { CrmClient, Field } from '@crm/client';

import { CliError } from '../errors.js';
import type { ExportObject } from '../import/targets.js';
import type { ExportColumns, ExportRecord } from './columns.js';

/** One page of records. */
export interface RecordPage {
  readonly records: readonly ExportRecord[];
  /** The cursor of the next page. Null on the last page. */
  readonly nextCursor: string | null;
}

/** Reads the page at a cursor, or the first page for null. */
export type ReadPage = (cursor: string | null, signal: AbortSignal) => Promise<RecordPage>;

/** The largest page that the gateway allows. */
const pageSize = 500;
const mostFieldNames = 100;

/** The custom fields of an object in the organization's order, including hidden ones. */
export const listCustomFields = async (client: CrmClient, object: ExportObject): Promise<readonly Field[]> => {
  const fields: Field[] = [];
  if (object === 'notes') return fields;
  for await (const field of client[object].fields({ limit: pageSize })) if (field.is_custom) fields.push(field);
  return fields;
};

/** The number of records to export. Undefined for notes, which cannot be counted. */
export const countRecords = async (
  client: CrmClient,
  object: ExportObject,
  pipelineId: string | undefined,
): Promise<number | undefined> => {
  if (object === 'notes') return undefined;
  if (object !== 'opportunities') return (await client[object].summarize({})).data.total.count;
  const { data } = await client.opportunities.summarize(pipelineId === undefined ? {} : { pipeline_id: pipelineId });
  return data.total.count;
};

/**
 * Returns the function that reads pages of an object. Records come oldest first, so that an import creates them in the
 * same order and records created during the export come last. Notes cannot be sorted and come newest first.
 */
export const makePageReader = (
  client: CrmClient,
  object: ExportObject,
  columns: ExportColumns,
  customFields: readonly Field[],
  pipelineId: string | undefined,
): ReadPage => {
  if (object === 'notes') {
    return async (cursor, signal) => {
      const { data } = await client.notes.list({ limit: pageSize, ...cursorOf(cursor) }, { signal }).page();
      return { records: data.notes, nextCursor: data.next_cursor };
    };
  }
  const fields = fieldNames(columns, customFields);
  // The three clients differ only in the types of their filters and records.
  const records = client[object] as unknown as { search(body: object, options: object): Searched };
  const asked = { sort: 'created_at', limit: pageSize, fields, ...(pipelineId && { pipeline_id: pipelineId }) };
  return async (cursor, signal) => {
    const { data } = await records.search({ ...asked, ...cursorOf(cursor) }, { signal }).page();
    return { records: data[object] ?? [], nextCursor: data.next_cursor };
  };
};

interface Searched {
  page(): Promise<{
    readonly data: { readonly next_cursor: string | null } & { readonly [name in ExportObject]?: ExportRecord[] };
  }>;
}

const cursorOf = (cursor: string | null): { cursor?: string } => (cursor === null ? {} : { cursor });

/**
 * The fields to request. If there are too many custom fields to name each, `custom_fields` requests all visible ones.
 */
const fieldNames = (columns: ExportColumns, customFields: readonly Field[]): string[] => {
  const names = columns.system.map(({ field }) => field);
  const wanted = new Set(columns.custom);
  const custom = customFields.filter(({ name }) => wanted.has(name));
  if (names.length + custom.length <= mostFieldNames) return [...names, ...custom.map(propertyName)];
  const hidden = custom.filter(({ is_hidden: isHidden }) => isHidden === true);
  const fields = [...names, 'custom_fields', ...hidden.map(propertyName)];
  if (fields.length <= mostFieldNames) return fields;
  throw new CliError(`More than ${mostFieldNames} fields would have to be requested. Choose fewer with --fields.`);
};

const propertyName = ({ property_name: name }: Field): string => name;
