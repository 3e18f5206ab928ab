import type { CrmClient, Field } from '@crm/client';

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
/** The most ids in one filter, and so the largest page of which further fields are read. */
const mostIds = 200;

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
  const [fields = [], ...more] = fieldNames(columns, customFields);
  // The three clients differ only in the types of their filters and records.
  const records = client[object] as unknown as { search(body: object, options: object): Searched };
  const inPipeline = pipelineId === undefined ? {} : { pipeline_id: pipelineId };
  const limit = more.length === 0 ? pageSize : mostIds;
  for await (const page of records
    .search({ ...asked, limit, sort: 'created_at', fields, ...inPipeline }, { signal })
    .pages()) {
    let found = page[object] ?? [];
    for (const names of more) {
      const filters = [{ field: 'id', operator: 'in', value: found.map(({ id }) => id) }];
      const custom = new Map<string, object>();
      if (found.length > 0)
        for await (const rest of records.search({ filters, limit, fields: names }, { signal }).pages())
          for (const record of rest[object] ?? []) custom.set(record.id, customValues(record));
      found = found.map((one) => ({ ...one, custom_fields: { ...customValues(one), ...custom.get(one.id) } }));
    }
    yield { records: found, nextCursor: page.next_cursor };
  }
}

const customValues = (record: ExportRecord): object => ('custom_fields' in record ? record.custom_fields : {});

interface Searched {
  pages(): AsyncIterable<
    { readonly next_cursor: string | null } & { readonly [name in ExportObject]?: readonly ExportRecord[] }
  >;
}

/**
 * The fields to request, in as many requests as they need. `custom_fields` requests all visible custom fields; hidden and
 * archived ones must be named.
 */
const fieldNames = (columns: ExportColumns, customFields: readonly Field[]): string[][] => {
  const named = customFields.filter(
    ({ is_hidden: isHidden, is_active: isActive, name }) =>
      (isHidden === true || isActive === false) && columns.custom.includes(name),
  );
  const fields = [
    ...columns.system.map(({ field }) => field),
    ...(columns.custom.length > 0 ? ['custom_fields'] : []),
    ...named.map(({ property_name: name }) => name),
  ];
  return Array.from({ length: Math.ceil(fields.length / mostFieldNames) }, (_, index) =>
    fields.slice(index * mostFieldNames, (index + 1) * mostFieldNames),
  );
};
