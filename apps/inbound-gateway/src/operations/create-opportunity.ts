import { createOpportunity as contract, opportunityPath } from '@crm/contract';
import { opportunityCreate } from '@crm/db';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { createMessage, createRecord } from '../create-record.js';
import { pipelineForCreate, readNewOpportunity } from '../input/read-opportunity.js';
import { warningsExtra } from '../warnings.js';

/** `POST /v1/inbound/opportunities`: creates a deal with its account and contacts, all or nothing. */
export const createOpportunity = defineOperation<Context, typeof contract>(contract, (context, request) =>
  createRecord(context, contract, request, {
    read: (setup, errors) => {
      const pipeline = pipelineForCreate(setup, request.body.pipeline_id);
      const opportunity = readNewOpportunity(setup, pipeline, request.body, errors);
      return opportunityCreate(setup, pipeline, opportunity, request.query.on_match ?? 'keep');
    },
    answer: ({ id, name, amount, record_status: status, unapplied }) => ({
      message: createMessage('Opportunity', status),
      data: { opportunity_id: id, name, amount },
      extra: { statusCode: 200, ...warningsExtra(unapplied, opportunityPath) },
      headers: { 'X-Record-Status': status },
    }),
  }),
);
