import { listOpportunities as contract } from '@crm/contract';
import { parseLimit, parseSearchQuery } from '@crm/domain';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { readPage } from '../page.js';

/** `GET /v1/opportunities`: the opportunities of one pipeline, newest first. */
export const listOpportunities = defineOperation<Context, typeof contract>(contract, (context, { caller, query }) =>
  context.setups.use(caller.organizationId, (setup) =>
    readPage(context, setup, {
      operation: contract.id,
      objectType: 'opportunity',
      pipelineId: query.pipeline_id,
      stageId: query.stage_id,
      queryPath: 'q',
      readWords: (errors) => parseSearchQuery(query.q, 'q', errors),
      defaultSort: 'created_at',
      cursor: query.cursor,
      readLimit: (errors) => parseLimit(query.limit, errors),
      fields: query.fields,
    }),
  ),
);
