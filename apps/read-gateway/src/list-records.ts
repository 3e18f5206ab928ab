import type {
  listAccountDuplicates,
  listAccountHistory,
  listOpportunities,
  OperationContract,
  searchOpportunities,
  SearchOpportunitiesBody,
} from '@crm/contract';
import { findDuplicates, readHistory, recordExists } from '@crm/db';
import {
  ApiError,
  type CursorPosition,
  defaultLimit,
  type ErrorCollector,
  type ObjectType,
  parseLimit,
  parseSearchQuery,
} from '@crm/domain';
import { type OperationRequest, runInTurns } from '@crm/http';
import { operation } from './context.js';
import { pageJson, readByCursor, readPage } from './page.js';

/** The parts of a search or summary body that select records. */
type MatchBody = Pick<SearchOpportunitiesBody, 'query' | 'q' | 'filters' | 'pipeline_id' | 'stage_id' | 'contact_id'>;

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
  contactId: body.contact_id,
  queryPath: queryPathOf(body),
  readWords: (errors: ErrorCollector) => readWords(body, errors),
  filters: body.filters,
});

/** A list of any object, newest first; accounts and contacts have no pipeline and stage in their queries. */
export const listRecords = (contract: OperationContract, objectType: ObjectType) =>
  operation<OperationContract>(contract, (context, { caller, query }: OperationRequest<typeof listOpportunities>) =>
    context.setups.use(caller.organizationId, (setup) =>
      readPage(context, setup, {
        operation: contract.id,
        objectType,
        pipelineId: query.pipeline_id === 'all' ? null : query.pipeline_id,
        stageId: query.stage_id,
        contactId: query.contact_id,
        queryPath: 'q',
        readWords: (errors) => parseSearchQuery(query.q, 'q', errors),
        defaultSort: 'created_at',
        cursor: query.cursor,
        readLimit: (errors) => parseLimit(query.limit, errors),
        fields: query.fields,
      }),
    ),
  );

/** A search of any object; accounts and contacts have no pipeline and stage in their bodies. */
export const searchRecords = (contract: OperationContract, objectType: ObjectType) =>
  operation<OperationContract>(contract, (context, { caller, body }: OperationRequest<typeof searchOpportunities>) =>
    context.setups.use(caller.organizationId, (setup) =>
      readPage(context, setup, {
        operation: contract.id,
        objectType,
        ...readMatch(body),
        sort: body.sort,
        defaultSort: 'updated_at',
        cursor: body.cursor,
        readLimit: () => body.limit ?? defaultLimit,
        fields: body.fields,
      }),
    ),
  );

/** A page of records of one object that may be duplicates. */
export const listDuplicates = (contract: OperationContract, objectType: ObjectType) =>
  operation<OperationContract>(
    contract,
    async (context, { caller: { organizationId }, query }: OperationRequest<typeof listAccountDuplicates>) => {
      const binding = { organizationId, operation: contract.id };
      const { page, nextCursor, limit } = await readByCursor(context, query, binding, (position, rows) =>
        findDuplicates(context.database, { organizationId, objectType, position, limit: rows }, runInTurns),
      );
      return { message: 'Found duplicates', data: pageJson('duplicates', page.records, nextCursor, limit) };
    },
  );

/**
 * The events of one record that the log retains, newest first. A deleted record is found as long as the log retains an
 * event of it.
 */
export const listHistory = (contract: OperationContract, objectType: ObjectType) =>
  operation<OperationContract>(
    contract,
    async (context, { caller: { organizationId }, params, query }: OperationRequest<typeof listAccountHistory>) => {
      const id = params.id.toLowerCase();
      const read = async (position: CursorPosition | null, limit: number) => {
        const found = await readHistory(context.database, { organizationId, objectType, id, position, limit });
        const isKnown = found.records.length > 0 || position !== null;
        if (!isKnown && !(await recordExists(context.database, organizationId, objectType, id)))
          throw new ApiError('not_found');
        return found;
      };
      const binding = { organizationId, operation: contract.id, recordId: id };
      const { page, nextCursor, limit } = await readByCursor(context, query, binding, read);
      const log = [`,"log_id":${JSON.stringify(page.logId)}`];
      return { message: 'Found events', data: pageJson('events', page.records, nextCursor, limit, log) };
    },
  );
