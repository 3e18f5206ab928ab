import { updateOpportunity as contract } from '@crm/contract';
import { findOpportunityPipelineIds, opportunityUpdate } from '@crm/db';
import { ApiError } from '@crm/domain';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { readOpportunityChange } from '../input/read-opportunity.js';
import { updateRecord } from '../update-record.js';

/** `PATCH /v1/inbound/opportunities/{id}`: accepts only the stages and custom fields of its current pipeline. */
export const updateOpportunity = defineOperation<Context, typeof contract>(contract, async (context, request) => {
  const { organizationId } = request.caller;
  const id = request.params.id.toLowerCase();
  const pipelineId = (await findOpportunityPipelineIds(context.database, organizationId, [id])).get(id);
  return updateRecord(context, request, 'opportunity', (setup, target, errors) => {
    const pipeline = pipelineId === undefined ? undefined : setup.findPipeline(pipelineId);
    if (pipeline === undefined) throw new ApiError('not_found');
    return opportunityUpdate(setup, target, readOpportunityChange(setup, pipeline, request.body, errors));
  });
});
