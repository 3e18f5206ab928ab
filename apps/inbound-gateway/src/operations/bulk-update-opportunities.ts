import { bulkUpdateOpportunities as contract } from '@crm/contract';
import { findOpportunityPipelineIds, opportunityUpdate } from '@crm/db';
import { ApiError } from '@crm/domain';
import { defineOperation } from '@crm/http';
import { bulkHandler } from '../bulk.js';
import { itemId } from '../bulk-items.js';
import type { Context } from '../context.js';
import { readOpportunityChange } from '../input/read-opportunity.js';

const handle = bulkHandler(contract);

/** `PATCH /v1/inbound/opportunities/bulk` */
export const bulkUpdateOpportunities = defineOperation<Context, typeof contract>(contract, async (context, request) => {
  const { organizationId } = request.caller;
  const ids = request.body.items.flatMap((item) => itemId(item) ?? []);
  const pipelineIds = await findOpportunityPipelineIds(context.database, organizationId, ids);
  return handle(context, request, {
    function: 'update_opportunity',
    notFoundPath: 'id',
    read: (setup, item, errors) => {
      const target = { id: item.id.toLowerCase(), version: item.version };
      const pipeline = setup.findPipeline(pipelineIds.get(target.id) ?? '');
      if (pipeline === undefined) throw new ApiError('not_found');
      return opportunityUpdate(setup, target, readOpportunityChange(setup, pipeline, item, errors));
    },
  });
});
