import { validationError, type ObjectType, parseBodyLimit } from '@crm/domain';
import type { SearchOpportunitiesBody } from '@crm/contract';
import type { Caller } from '@crm/http';
import type { Context } from './context.js';
import { readPage } from './page.js';

const isGiven = (text: string | null | undefined): text is string => (text ?? '').trim() !== '';

/** `q` is another name of `query`; both at once must agree. */
const readQuery = ({
  query,
  q,
}: SearchOpportunitiesBody): { readonly queryText: unknown; readonly queryPath: 'q' | 'query' } => {
  if (isGiven(query) && isGiven(q) && query !== q)
    throw validationError({ q: 'Differs from query, which is the same parameter' });
  return isGiven(q) && !isGiven(query) ? { queryText: q, queryPath: 'q' } : { queryText: query, queryPath: 'query' };
};

/** A search of any object; accounts and contacts have no pipeline and stage in their bodies. */
export const searchRecords = (
  context: Context,
  caller: Caller,
  operation: string,
  objectType: ObjectType,
  body: SearchOpportunitiesBody,
) =>
  context.catalogs.use(caller.organizationId, (catalog) =>
    readPage(context, catalog, {
      operation,
      objectType,
      pipelineId: body.pipeline_id,
      stageId: body.stage_id,
      ...readQuery(body),
      filters: body.filters,
      sort: body.sort,
      defaultSort: 'updated_at',
      cursor: body.cursor,
      readLimit: (errors) => parseBodyLimit(body.limit, errors),
      fields: body.fields,
    }),
  );
