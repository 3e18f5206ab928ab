import { listOpportunities as contract } from '@crm/contract';
import { ApiError } from '@crm/domain';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { readPage } from '../page.js';

/** `GET /v1/opportunities`: the opportunities of one pipeline, newest first. */
export const listOpportunities = defineOperation<Context, typeof contract>(contract, (context, { caller, query }) =>
  context.catalogs.use(caller.organizationId, async (catalog) => {
    const pipeline = catalog.findPipeline(query.pipeline_id);
    if (pipeline === undefined) throw new ApiError('not_found');
    return readPage(context, catalog, {
      operation: contract.id,
      objectType: 'opportunity',
      collection: 'opportunities',
      pipeline,
      stageId: query.stage_id,
      queryText: query.q,
      queryPath: 'q',
      cursor: query.cursor,
      limit: query.limit,
      fields: query.fields,
    });
  }),
);
