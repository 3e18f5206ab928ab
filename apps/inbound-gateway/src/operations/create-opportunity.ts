import { createOpportunity as contract, opportunityPath } from '@crm/contract';
import { opportunityCreate } from '@crm/db';
import { ApiError } from '@crm/domain';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { createMessage, createRecord } from '../create-record.js';
import { readNewOpportunity } from '../input/read-opportunity.js';
import { warningsExtra } from '../warnings.js';

/** `POST /v1/inbound/opportunities`: a deal with its account and contacts, all of it or nothing. */
export const createOpportunity = defineOperation<Context, typeof contract>(contract, (context, request) =>
  createRecord(context, contract, request, {
    read: (catalog, errors) => {
      const pipeline = catalog.findPipeline(request.body.pipeline_id);
      if (pipeline === undefined) throw new ApiError('not_found');
      const opportunity = readNewOpportunity(catalog, pipeline, request.body, errors);
      return opportunityCreate(catalog, pipeline, opportunity, request.query.on_match ?? 'keep');
    },
    answer: ({ id, name, amount, record_status: status, unapplied }) => ({
      message: createMessage('Opportunity', status),
      data: { opportunity_id: id, name, amount },
      extra: { statusCode: 200, ...warningsExtra(unapplied, opportunityPath) },
      headers: { 'X-Record-Status': status },
    }),
  }),
);
