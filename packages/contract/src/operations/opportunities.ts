import { Type } from 'typebox';
import type { OperationContract } from '../operation.js';
import { uuid } from '../schemas/build.js';
import { StatusCode } from '../schemas/envelope.js';
import { closed } from '../schemas/input.js';
import { CreatedOpportunity, CreateOpportunityBody, OpportunityPage } from '../schemas/opportunity.js';
import { FieldsParameter, pageQuery, SearchTerm } from '../schemas/pagination.js';
import { createHeaders, OnMatchQuery, writeExtra } from './shared.js';

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
      pipeline_id: uuid('The pipeline to read.'),
      stage_id: Type.Optional(uuid('Only opportunities in this stage.')),
      q: Type.Optional(SearchTerm),
      ...pageQuery,
      fields: Type.Optional(FieldsParameter),
    },
    {},
  ),
  data: OpportunityPage,
  errors: [404],
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
    'Creates an opportunity and, where absent, the account and contacts it names. Account domain, pipeline and name ' +
    'together identify it: sent again, no duplicate is created and its contacts are updated instead.',
  query: OnMatchQuery,
  body: CreateOpportunityBody,
  data: CreatedOpportunity,
  extra: { statusCode: StatusCode, ...writeExtra },
  errors: [404, 409, 422],
  headers: createHeaders,
} as const satisfies OperationContract;
