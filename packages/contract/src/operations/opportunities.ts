import { Type } from 'typebox';
import { uuid } from '../schemas/build.js';
import { StatusCode } from '../schemas/envelope.js';
import { closed } from '../schemas/input.js';
import { OpportunityDetail, OpportunityPage } from '../schemas/opportunity.js';
import {
  BulkCreateOpportunitiesBody,
  BulkUpdateOpportunitiesBody,
  CreateOpportunityBody,
  CreatedOpportunity,
  UpdateOpportunityBody,
  UpdateOpportunityItem,
} from '../schemas/opportunity-write.js';
import { FieldsParameter, pageQuery, SearchTerm } from '../schemas/pagination.js';
import { SearchOpportunitiesBody } from '../schemas/search.js';
import { SummarizeOpportunitiesBody } from '../schemas/summary.js';
import { readOperationsOf, writeOperationsOf } from './object-operations.js';
import { fieldsListQuery } from './shared.js';

const names = { one: 'opportunity', a: 'an opportunity', many: 'opportunities' } as const;

const listQuery = closed(
  {
    pipeline_id: uuid('The pipeline to read.', 'pipeline'),
    stage_id: Type.Optional(uuid('Only opportunities in this stage.', 'stage')),
    q: Type.Optional(SearchTerm),
    ...pageQuery,
    fields: Type.Optional(FieldsParameter),
  },
  {},
);
const fieldsQuery = closed(
  { pipeline_id: Type.Optional(uuid('Only fields that apply to this pipeline.', 'pipeline')), ...fieldsListQuery },
  {},
);

/** The reads of opportunities. */
export const {
  list: listOpportunities,
  search: searchOpportunities,
  summarize: summarizeOpportunities,
  duplicates: listOpportunityDuplicates,
  fields: listOpportunityFields,
  get: getOpportunity,
  history: listOpportunityHistory,
} = readOperationsOf(
  names,
  {
    listQuery,
    fieldsQuery,
    searchBody: SearchOpportunitiesBody,
    summaryBody: SummarizeOpportunitiesBody,
    page: OpportunityPage,
    detail: OpportunityDetail,
  },
  {
    summary: 'List opportunities of a pipeline',
    description: 'Pages through the opportunities of one pipeline, newest first.',
  },
  [404],
);

/** The writes of opportunities. */
export const {
  create: createOpportunity,
  update: updateOpportunity,
  delete: deleteOpportunity,
  bulkCreate: bulkCreateOpportunities,
  bulkUpdate: bulkUpdateOpportunities,
} = writeOperationsOf(
  names,
  {
    create: CreateOpportunityBody,
    created: CreatedOpportunity,
    update: UpdateOpportunityBody,
    updateItem: UpdateOpportunityItem,
    bulkCreate: BulkCreateOpportunitiesBody,
    bulkUpdate: BulkUpdateOpportunitiesBody,
    detail: OpportunityDetail,
    extra: { statusCode: StatusCode },
  },
  {
    create: {
      summary: 'Create an opportunity with its account and contacts',
      description:
        'Creates an opportunity, and the account and contacts in the request if they are missing. If an opportunity ' +
        'has the same account, pipeline and name, or the `external_id`, it is returned instead and its contacts are ' +
        'updated.',
    },
    delete:
      'Deletes an opportunity. Its account, its contacts and its notes stay. Until the event of the deletion expires, ' +
      '`POST /v1/inbound/restore` can undo it.',
  },
  { create: [404, 409, 422], delete: [404, 412] },
);
