import { Type } from 'typebox';
import { bulkBodyBytes } from '../bounds.js';
import type { OperationContract } from '../operation.js';
import { uuid } from '../schemas/build.js';
import { BulkCreateQuery, BulkQuery, BulkResults } from '../schemas/bulk.js';
import { Deleted } from '../schemas/deleted.js';
import { StatusCode } from '../schemas/envelope.js';
import { DuplicatePage } from '../schemas/duplicate.js';
import { FieldPage } from '../schemas/field.js';
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
import { SummarizeOpportunitiesBody, Summary } from '../schemas/summary.js';
import {
  createHeaders,
  FieldsQuery,
  idParams,
  idempotentWriteHeaders,
  OnMatchQuery,
  PageQuery,
  recordHeaders,
  updateHeaders,
  writeExtra,
  writeHeaders,
} from './shared.js';

/** `GET /v1/opportunities` */
export const listOpportunities = {
  id: 'listOpportunities',
  gateway: 'read',
  method: 'get',
  path: '/v1/opportunities',
  group: 'list',
  tag: 'Opportunities',
  summary: 'List opportunities of a pipeline',
  description: 'Pages through the opportunities of one pipeline, newest first.',
  query: closed(
    {
      pipeline_id: uuid('The pipeline to read.', 'pipeline'),
      stage_id: Type.Optional(uuid('Only opportunities in this stage.', 'stage')),
      q: Type.Optional(SearchTerm),
      ...pageQuery,
      fields: Type.Optional(FieldsParameter),
    },
    {},
  ),
  data: OpportunityPage,
  errors: [404],
} as const satisfies OperationContract;

/** `POST /v1/opportunities/search` */
export const searchOpportunities = {
  id: 'searchOpportunities',
  gateway: 'read',
  method: 'post',
  path: '/v1/opportunities/search',
  group: 'search',
  tag: 'Opportunities',
  summary: 'Search opportunities',
  description: 'Pages through the opportunities that match words and filters, sorted.',
  body: SearchOpportunitiesBody,
  data: OpportunityPage,
  errors: [404],
} as const satisfies OperationContract;

/** `POST /v1/opportunities/summary` */
export const summarizeOpportunities = {
  id: 'summarizeOpportunities',
  gateway: 'read',
  method: 'post',
  path: '/v1/opportunities/summary',
  group: 'search',
  tag: 'Opportunities',
  summary: 'Summarize opportunities',
  description:
    'Counts the opportunities that match words and filters and computes sums, averages, minimums and maximums, ' +
    'grouped by up to two fields.',
  body: SummarizeOpportunitiesBody,
  data: Summary,
  errors: [404],
} as const satisfies OperationContract;

/** `GET /v1/opportunities/duplicates` */
export const listOpportunityDuplicates = {
  id: 'listOpportunityDuplicates',
  gateway: 'read',
  method: 'get',
  path: '/v1/opportunities/duplicates',
  group: 'search',
  tag: 'Opportunities',
  summary: 'List opportunities that may be duplicates',
  description: 'Pages through opportunities that may be duplicates of older ones, with the reasons.',
  query: PageQuery,
  data: DuplicatePage,
} as const satisfies OperationContract;

/** `GET /v1/opportunities/fields` */
export const listOpportunityFields = {
  id: 'listOpportunityFields',
  gateway: 'read',
  method: 'get',
  path: '/v1/opportunities/fields',
  group: 'list',
  tag: 'Fields',
  summary: 'List the fields of opportunities',
  description: 'Pages through the system and custom fields of opportunities.',
  query: closed(
    { pipeline_id: Type.Optional(uuid('Only fields that apply to this pipeline.', 'pipeline')), ...pageQuery },
    {},
  ),
  data: FieldPage,
  errors: [404],
} as const satisfies OperationContract;

/** `GET /v1/opportunities/{id}` */
export const getOpportunity = {
  id: 'getOpportunity',
  gateway: 'read',
  method: 'get',
  path: '/v1/opportunities/{id}',
  group: 'list',
  tag: 'Opportunities',
  summary: 'Get an opportunity',
  description: 'Returns one opportunity with every system field and visible custom field, unless `fields` narrows it.',
  params: idParams('opportunity'),
  query: FieldsQuery,
  data: OpportunityDetail,
  errors: [404],
  headers: recordHeaders,
} as const satisfies OperationContract;

/** `POST /v1/inbound/opportunities` */
export const createOpportunity = {
  id: 'createOpportunity',
  gateway: 'inbound',
  method: 'post',
  path: '/v1/inbound/opportunities',
  group: 'inbound',
  tag: 'Opportunities',
  summary: 'Create an opportunity with its account and contacts',
  description:
    'Creates an opportunity, and the account and contacts in the request if they are missing. If an opportunity ' +
    'has the same account, pipeline and name, or the `external_id`, it is returned instead and its contacts are ' +
    'updated.',
  query: OnMatchQuery,
  body: CreateOpportunityBody,
  data: CreatedOpportunity,
  extra: { statusCode: StatusCode, ...writeExtra },
  errors: [404, 409, 422],
  headers: createHeaders,
} as const satisfies OperationContract;

/** `PATCH /v1/inbound/opportunities/{id}` */
export const updateOpportunity = {
  id: 'updateOpportunity',
  gateway: 'inbound',
  method: 'patch',
  path: '/v1/inbound/opportunities/{id}',
  group: 'inbound',
  tag: 'Opportunities',
  summary: 'Update an opportunity',
  description:
    'Changes an opportunity and returns the whole record. Absent fields keep their values; `null` clears a field.',
  params: idParams('opportunity'),
  body: UpdateOpportunityBody,
  data: OpportunityDetail,
  extra: writeExtra,
  errors: [404, 409, 412],
  headers: updateHeaders,
} as const satisfies OperationContract;

/** `DELETE /v1/inbound/opportunities/{id}` */
export const deleteOpportunity = {
  id: 'deleteOpportunity',
  gateway: 'inbound',
  method: 'delete',
  path: '/v1/inbound/opportunities/{id}',
  group: 'delete',
  tag: 'Opportunities',
  summary: 'Delete an opportunity',
  description:
    'Deletes an opportunity. Its account, its contacts and its notes stay. Until the event of the deletion expires, ' +
    '`POST /v1/inbound/restore` can undo it.',
  params: idParams('opportunity'),
  data: Deleted,
  errors: [404, 412],
  headers: writeHeaders,
} as const satisfies OperationContract;

/** `POST /v1/inbound/opportunities/bulk` */
export const bulkCreateOpportunities = {
  id: 'bulkCreateOpportunities',
  gateway: 'inbound',
  method: 'post',
  path: '/v1/inbound/opportunities/bulk',
  group: 'bulk',
  tag: 'Opportunities',
  summary: 'Create many opportunities',
  description: 'Creates up to 100 opportunities, each as a single create would.',
  query: BulkCreateQuery,
  body: BulkCreateOpportunitiesBody,
  item: CreateOpportunityBody,
  maxBodyBytes: bulkBodyBytes,
  data: BulkResults,
  errors: [409, 422],
  headers: idempotentWriteHeaders,
} as const satisfies OperationContract;

/** `PATCH /v1/inbound/opportunities/bulk` */
export const bulkUpdateOpportunities = {
  id: 'bulkUpdateOpportunities',
  gateway: 'inbound',
  method: 'patch',
  path: '/v1/inbound/opportunities/bulk',
  group: 'bulk',
  tag: 'Opportunities',
  summary: 'Update many opportunities',
  description: 'Changes up to 50 opportunities, each as a single update would.',
  query: BulkQuery,
  body: BulkUpdateOpportunitiesBody,
  item: UpdateOpportunityItem,
  maxBodyBytes: bulkBodyBytes,
  data: BulkResults,
  headers: writeHeaders,
} as const satisfies OperationContract;
