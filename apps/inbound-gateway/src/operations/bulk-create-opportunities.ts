import { bulkCreateOpportunities as contract, opportunityPath } from '@crm/contract';
import { opportunityCreate } from '@crm/db';
import { defineOperation } from '@crm/http';
import { bulkHandler } from '../bulk.js';
import type { Context } from '../context.js';
import { pipelineForCreate, readNewOpportunity } from '../input/read-opportunity.js';

const handle = bulkHandler(contract);

/** `POST /v1/inbound/opportunities/bulk` */
export const bulkCreateOpportunities = defineOperation<Context, typeof contract>(contract, (context, request) =>
  handle(context, request, {
    function: 'create_opportunity',
    notFoundPath: 'pipeline_id',
    pathOf: opportunityPath,
    read: (setup, item, errors) => {
      const pipeline = pipelineForCreate(setup, item.pipeline_id);
      const opportunity = readNewOpportunity(setup, pipeline, item, errors);
      return opportunityCreate(setup, pipeline, opportunity, request.query.on_match ?? 'keep');
    },
  }),
);
