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

/** The largest page that the gateway allows. */
const pageSize = 500;
const mostFieldNames = 100;

/** What {@link readPages} reads. */
export interface RecordQuery {
  readonly object: ExportObject;
  readonly columns: ExportColumns;
  readonly customFields: readonly Field[];
  readonly pipelineId: string | undefined;
}

/**
 * Reads the pages of an object from a cursor on, or from the first page. Records come oldest first, so that an import
 * creates them in the same order and records created during the export come last. Notes cannot be sorted and come
 * newest first.
 */
export async function* readPages(
  client: CrmClient,
  { object, columns, customFields, pipelineId }: RecordQuery,
  cursor: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<RecordPage, void, undefined> {
  const asked = { limit: pageSize, ...(cursor !== undefined && { cursor }) };
  if (object === 'notes') {
    for await (const { notes, next_cursor: nextCursor } of client.notes.list(asked, { signal }).pages())
      yield { records: notes, nextCursor };
    return;
  }
  const fields = fieldNames(columns, customFields);
  // The three clients differ only in the types of their filters and records.
  const records = client[object] as unknown as { search(body: object, options: object): Searched };
  const body = { ...asked, sort: 'created_at', fields, ...(pipelineId !== undefined && { pipeline_id: pipelineId }) };
  for await (const page of records.search(body, { signal }).pages())
    yield { records: page[object] ?? [], nextCursor: page.next_cursor };
}

interface Searched {
  pages(): AsyncIterable<
    { readonly next_cursor: string | null } & { readonly [name in ExportObject]?: readonly ExportRecord[] }
  >;
}

/** The fields to request. `custom_fields` requests all visible custom fields; hidden ones must be named. */
const fieldNames = (columns: ExportColumns, customFields: readonly Field[]): string[] => {
  const hidden = customFields.filter((field) => field.is_hidden === true && columns.custom.includes(field.name));
  const fields = [
    ...columns.system.map(({ field }) => field),
    ...(columns.custom.length > 0 ? ['custom_fields'] : []),
    ...hidden.map(({ property_name: name }) => name),
  ];
  if (fields.length <= mostFieldNames) return fields;
  throw new CliError(`More than ${mostFieldNames} fields would have to be requested. Choose fewer with --fields.`);
};
