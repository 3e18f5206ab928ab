import {
  bulkCreateOpportunities as bulkCreateContract,
  bulkUpdateOpportunities as bulkUpdateContract,
  createOpportunity as createContract,
  deleteOpportunity as deleteContract,
  opportunityPath,
  updateOpportunity as updateContract,
  type CreateOpportunityBody,
} from '@crm/contract';
import { type CreatedOpportunity, opportunityCreate, opportunityUpdate, type OrganizationSetup } from '@crm/db';
import { ApiError } from '@crm/domain';
import { pipelineForCreate, readNewOpportunity, readOpportunityChange } from '../input/read-opportunity.js';
import type { Operation } from '@crm/http';
import type { Context } from '../context.js';
import { bulkCreate, bulkUpdate } from '../write/bulk.js';
import { createRecord } from '../write/create-record.js';
import { deleteRecord } from '../write/delete-record.js';

import type { ObjectWrites } from '../write/object-writes.js';
import { updateRecord } from '../write/update-record.js';

const opportunities: ObjectWrites<CreatedOpportunity> = {
  objectType: 'opportunity',
  keyPath: 'pipeline_id',
  pathOf: opportunityPath,
  extra: { statusCode: 200 },
  // Creates the deal with its account and contacts, all or nothing.
  create: (setup: OrganizationSetup, body: CreateOpportunityBody, onMatch, errors) => {
    const pipeline = pipelineForCreate(setup, body.pipeline_id);
    return opportunityCreate(setup, pipeline, readNewOpportunity(setup, pipeline, body, errors), onMatch);
  },
  // Accepts only the stages and custom fields of its current pipeline.
  update: (setup, target, body, errors, pipelineId) => {
    const pipeline = setup.findPipeline(pipelineId ?? '');
    if (pipeline === undefined) throw new ApiError('not_found');
    return opportunityUpdate(setup, target, readOpportunityChange(setup, pipeline, body, errors));
  },
  answer: ({ id, name, amount }) => ({ opportunity_id: id, name, amount }),
};

/** The writes of opportunities. */
export const opportunityOperations: readonly Operation<Context>[] = [
  createRecord(createContract, opportunities),
  updateRecord(updateContract, opportunities),
  deleteRecord(deleteContract, 'opportunity'),

  bulkCreate(bulkCreateContract, opportunities),
  bulkUpdate(bulkUpdateContract, opportunities),
];
