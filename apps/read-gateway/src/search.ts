import { type ErrorCollector, type ObjectType, parseBodyLimit, parseSearchQuery } from '@crm/domain';
import type { SearchOpportunitiesBody } from '@crm/contract';
import type { Caller } from '@crm/http';
import type { Context } from './context.js';
import { readPage } from './page.js';

/** The parts of a search or summary body that select records. */
export type MatchBody = Pick<SearchOpportunitiesBody, 'query' | 'q' | 'filters' | 'pipeline_id' | 'stage_id'>;

const isGiven = (text: string | null | undefined): text is string => (text ?? '').trim() !== '';

/** The parameter of the free-text query. */
const queryPathOf = ({ query, q }: MatchBody): 'q' | 'query' => (isGiven(q) && !isGiven(query) ? 'q' : 'query');

/** `q` is another name of `query`. If both are sent, they must be equal. */
const readWords = (body: MatchBody, errors: ErrorCollector): readonly string[] => {
  const { query, q } = body;
  if (isGiven(query) && isGiven(q) && query !== q) errors.add('q', 'differs from query, which is the same parameter');
  const path = queryPathOf(body);
  return parseSearchQuery(body[path], path, errors);
};

/** Reads the parts that select records. */
export const readMatch = (body: MatchBody) => ({
  pipelineId: body.pipeline_id,
  stageId: body.stage_id,
  queryPath: queryPathOf(body),
  readWords: (errors: ErrorCollector) => readWords(body, errors),
  filters: body.filters,
});

/** A search of any object; accounts and contacts have no pipeline and stage in their bodies. */
export const searchRecords = (
  context: Context,
  caller: Caller,
  operation: string,
  objectType: ObjectType,
  body: SearchOpportunitiesBody,
) =>
  context.setups.use(caller.organizationId, (setup) =>
    readPage(context, setup, {
      operation,
      objectType,
      ...readMatch(body),
      sort: body.sort,
      defaultSort: 'updated_at',
      cursor: body.cursor,
      readLimit: (errors) => parseBodyLimit(body.limit, errors),
      fields: body.fields,
    }),
  );
