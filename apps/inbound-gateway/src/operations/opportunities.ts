import * as contracts from '@crm/contract';
import { type CreatedOpportunity, opportunityCreate, opportunityUpdate } from '@crm/db';
import { unknownPipeline } from '@crm/domain';
import type { Operation } from '@crm/http';
import type { Context } from '../context.js';
import { bulkCreate, bulkUpdate } from '../write/bulk.js';
import { createRecord } from '../write/create-record.js';
import { deleteRecord } from '../write/delete-record.js';
import type { ObjectWrites } from '../write/object-writes.js';
import { readParts } from '../write/opportunity-parts.js';
import { updateRecord } from '../write/update-record.js';

const opportunities: ObjectWrites<CreatedOpportunity> = {
  objectType: 'opportunity',
  keyPath: 'pipeline_id',
  extra: { statusCode: 200 },
  // Creates the deal with its account, contacts and note, all or nothing.
  create: (setup, sent, onMatch, { body, pipeline, errors }) => {
    if (pipeline === null) throw unknownPipeline();
    const { change, parts } = readParts(body, sent, errors);
    return opportunityCreate(setup, pipeline, change, onMatch, parts);
  },
  update: opportunityUpdate,
  answer: ({ id, name, amount, account_id, contact_id, note_id }) => ({
    opportunity_id: id,
    name,
    amount,
    account_id,
    contact_id,
    ...(note_id !== undefined && { note_id }),
  }),
};

/** The writes of opportunities. */
export const opportunityOperations: readonly Operation<Context>[] = [
  createRecord(contracts.createOpportunity, opportunities),
  updateRecord(contracts.updateOpportunity, opportunities),
  deleteRecord(contracts.deleteOpportunity, 'opportunity'),
  bulkCreate(contracts.bulkCreateOpportunities, opportunities),
  bulkUpdate(contracts.bulkUpdateOpportunities, opportunities),
];
