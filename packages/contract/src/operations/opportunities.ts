import { contact, contactPartFields, maxNameLength, opportunity } from '@crm/domain';
import { Type } from 'typebox';
import { having, nullable, number, optional, responseObject, text, uuid, uuidOrAll } from '../schemas/build.js';
import { StatusCode } from '../schemas/envelope.js';
import { exampleIds } from '../schemas/example-ids.js';
import { closed, closedWithCustom, EmailInput, requiredWithoutExternalId } from '../schemas/input.js';
import { notePart } from '../schemas/note.js';
import { visibleText } from '../openapi/shown-checks.js';
import { inputProperties } from '../schemas/object-fields.js';
import { bodySchemas, responseSchemas } from '../schemas/object-schemas.js';
import { operation } from '../operation.js';
import { pageQuery, SearchTerm } from '../schemas/pagination.js';
import { SearchOpportunitiesBody } from '../schemas/search.js';
import { StageSummary, StageSummaryBody } from '../schemas/stage-summary.js';
import { StageVisitPage } from '../schemas/stage-visit.js';
import { SummarizeOpportunitiesBody } from '../schemas/summary.js';
import { readOperationsOf, writeOperationsOf } from './object-operations.js';
import { fieldsListQuery, fieldsOf, idParams, PageQuery } from './shared.js';

const { page, detail } = responseSchemas(opportunity);

const related = closed(inputProperties(opportunity, 'create', 'related_objects'), {
  title: 'RelatedObjects',
  description: 'Account, contacts and owner of the deal, by their natural keys.',
});

const contactInputs = Object.entries(inputProperties(contact, 'create'));
const primaryContact = closed(
  {
    ...Object.fromEntries(contactInputs.filter(([name]) => contactPartFields.includes(name))),
    email: EmailInput('Email of the primary contact, who is created if missing.'),
  },
  {
    title: 'PrimaryContactInput',
    description:
      'The primary contact with its fields, as in a create of a contact. Instead of `primary_contact_email`.',
  },
);

/** A pipeline is named by id or by name. */
const needsPipeline = {
  allOf: [
    {
      if: having({ pipeline: { type: 'string', pattern: visibleText } }),
      else: having({ pipeline_id: { type: 'string' } }),
    },
  ],
};

const bodies = bodySchemas(
  opportunity,
  {
    create: (options) =>
      closed(
        {
          pipeline_id: optional(uuid('The pipeline of the deal. Optional if `pipeline` names it.', 'pipeline')),
          pipeline: optional(text('Name of the pipeline, for `pipeline_id`.', 'Sales', { maxLength: maxNameLength })),
          opportunity: closedWithCustom(inputProperties(opportunity, 'create'), {
            description: 'The deal itself.',
            ...requiredWithoutExternalId(opportunity),
          }),
          related_objects: optional(related),
          primary_contact: optional(primaryContact),
          note: optional(notePart()),
        },
        { ...options, ...needsPipeline },
      ),
    update: (target, options) => {
      const changes = closedWithCustom(inputProperties(opportunity, 'update'), {
        description: 'The changes of the deal. Absent fields stay; `null` clears a field. The pipeline cannot change.',
      });
      return closed(
        { ...target, opportunity: Type.Optional(changes), related_objects: Type.Optional(related) },
        options,
      );
    },
  },
  {
    create: {
      description: 'An opportunity with its account and contacts.',
      examples: [
        {
          pipeline_id: exampleIds.pipeline,
          opportunity: { name: 'Acme renewal', deal_size: 48000, next_step: 'Send proposal' },
          related_objects: {
            account_domain: 'acme.com',
            primary_contact_email: 'ada@acme.com',
            additional_contact_emails: ['grace@acme.com'],
          },
        },
      ],
    },
    update: {
      description:
        'Changes to an opportunity. Absent fields stay; `null` clears a field; a list of contacts replaces the old ' +
        'list.',
      examples: [
        { opportunity: { deal_size: 52000, next_step: null }, related_objects: { owner_email: 'owner@example.com' } },
      ],
    },
    createItems: [{ pipeline_id: exampleIds.pipeline, opportunity: { name: 'Acme renewal' } }],
    updateItems: [{ id: exampleIds.opportunity, opportunity: { deal_size: 52000 } }],
  },
);

const created = responseObject('CreatedOpportunity', 'The opportunity that the call created or found.', {
  opportunity_id: uuid('Id of the opportunity.', 'opportunity'),
  name: text('Its name.', 'Acme renewal'),
  amount: nullable(number('Its deal size; null if it has none.', 48000)),
  account_id: nullable(uuid('Id of its account; null if it has none.', 'account')),
  contact_id: nullable(uuid('Id of its primary contact; null if it has none.', 'contact')),
  note_id: Type.Optional(uuid('Id of the note on it. Only if the request has a `note`.', 'note')),
});

const listQuery = closed(
  {
    pipeline_id: uuidOrAll('The pipeline to read; `all` for every pipeline.', 'pipeline'),
    stage_id: Type.Optional(uuid('Only opportunities in this stage.', 'stage')),
    contact_id: Type.Optional(
      uuid('Only opportunities of this person, as primary or as additional contact.', 'contact'),
    ),
    q: Type.Optional(SearchTerm),
    ...pageQuery,
    fields: fieldsOf('opportunity'),
  },
  {},
);
const fieldsQuery = closed(
  { pipeline_id: Type.Optional(uuid('Only fields that apply to this pipeline.', 'pipeline')), ...fieldsListQuery },
  {},
);

/** The reads of opportunities, as every object has them. */
export const opportunityReads = readOperationsOf(
  opportunity,
  {
    listQuery,
    fieldsQuery,
    searchBody: SearchOpportunitiesBody,
    summaryBody: SummarizeOpportunitiesBody,
    page,
    detail,
  },
  {
    summary: 'List opportunities of a pipeline',
    description: 'Pages through the opportunities of one pipeline or of all, newest first.',
  },
  [404],
);
export const {
  list: listOpportunities,
  search: searchOpportunities,
  summarize: summarizeOpportunities,
  duplicates: listOpportunityDuplicates,
  fields: listOpportunityFields,
  schema: getOpportunitySchema,
  get: getOpportunity,
  history: listOpportunityHistory,
} = opportunityReads;

/** `GET /v1/opportunities/{id}/stages` */
export const listOpportunityStages = operation(
  ['listOpportunityStages', 'GET /v1/opportunities/{id}/stages', 'list', 'Opportunities'],
  {
    summary: 'List the stays of an opportunity in stages',
    description:
      'Pages through the stays of an opportunity in stages, oldest first. The last one is the stage that it is in. ' +
      'Stays of opportunities that were merged into it are included, so they may overlap.',
    params: idParams('opportunity'),
    query: PageQuery,
    data: StageVisitPage,
    errors: [404],
  },
);

/** `POST /v1/opportunities/stage-summary` */
export const summarizeStages = operation(
  ['summarizeStages', 'POST /v1/opportunities/stage-summary', 'search', 'Opportunities'],
  {
    summary: 'Summarize how opportunities went through the stages of a pipeline',
    description:
      'Counts the stays in each stage that began in a period and where the deals went next, with the median and the 90th ' +
      'percentile of the time in the stage. Deals that are still in the stage count as `entered`, and have no time yet.',
    body: StageSummaryBody,
    data: StageSummary,
    errors: [404],
  },
);

/** The writes of opportunities. */
export const {
  create: createOpportunity,
  update: updateOpportunity,
  delete: deleteOpportunity,
  bulkCreate: bulkCreateOpportunities,
  bulkUpdate: bulkUpdateOpportunities,
} = writeOperationsOf(
  opportunity,
  bodies,
  { created, detail, extra: { statusCode: StatusCode } },
  {
    create: {
      summary: 'Create an opportunity with its account and contacts',
      description:
        'Creates an opportunity, and the account and contacts in the request if they are missing. If an opportunity ' +
        'has the same account, pipeline and name, or the `external_id`, it is returned instead and its contacts are ' +
        'updated. Fields of the primary contact and a note can be sent with it: all is stored, or nothing.',
    },
    delete:
      'Deletes an opportunity. Its account, its contacts and its notes stay. Until the event of the deletion expires, ' +
      '`POST /v1/inbound/restore` can undo it.',
  },
  { create: [404, 409, 422], delete: [404, 412] },
);
