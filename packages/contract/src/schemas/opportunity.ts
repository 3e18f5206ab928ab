import { Type, type Static } from 'typebox';
import { nameLength, nextStepLength } from '../bounds.js';
import { instant, nullable, optional, uuid } from './build.js';
import { CustomFieldDefinitions, CustomFieldInput, CustomFields } from './custom-field.js';
import { closed, closedWithCustom, DomainInput, EmailInput, KeyList } from './input.js';
import { pageProperties } from './pagination.js';

/** A contact of an opportunity beside its primary one. */
export const AdditionalContact = Type.Object(
  {
    contact_id: uuid('Id of the contact.'),
    contact_first_name: nullable(Type.String({ description: 'First name.', examples: ['Grace'] })),
    contact_last_name: nullable(Type.String({ description: 'Last name.', examples: ['Hopper'] })),
    contact_email: nullable(Type.String({ format: 'email', description: 'Email.', examples: ['grace@acme.com'] })),
  },
  { title: 'AdditionalContact', additionalProperties: false, description: 'A contact beside the primary one.' },
);
export type AdditionalContact = Static<typeof AdditionalContact>;

/** The system fields of an opportunity that come only when `fields` names them, or on a get by id. */
const extras = {
  amount: Type.Optional(nullable(Type.Number({ description: 'Deal size.', examples: [48000] }))),
  currency: Type.Optional(nullable(Type.String({ description: 'ISO 4217 code.', examples: ['USD'] }))),
  close_date: Type.Optional(nullable(Type.Integer({ description: 'Unix milliseconds.', examples: [1798675200000] }))),
  next_action_date: Type.Optional(
    nullable(Type.Integer({ description: 'Unix milliseconds.', examples: [1796083200000] })),
  ),
  next_step: Type.Optional(nullable(Type.String({ description: 'What happens next.', examples: ['Send proposal'] }))),
  owner_id: Type.Optional(nullable(uuid('Id of the member who owns the deal.'))),
  owner_email: Type.Optional(nullable(Type.String({ format: 'email', description: 'Email of the owner.' }))),
  created_at: Type.Optional(instant('When it was created.')),
  updated_at: Type.Optional(instant('When it last changed.')),
  version: Type.Optional(Type.Integer({ description: 'Rises with every change; the `ETag`.', examples: [3] })),
  account_domain: Type.Optional(nullable(Type.String({ description: 'Domain of its account.' }))),
  account_name: Type.Optional(nullable(Type.String({ description: 'Name of its account.' }))),
  contact_email: Type.Optional(
    nullable(Type.String({ format: 'email', description: 'Email of the primary contact.' })),
  ),
  contact_first_name: Type.Optional(nullable(Type.String({ description: 'First name of the primary contact.' }))),
  contact_last_name: Type.Optional(nullable(Type.String({ description: 'Last name of the primary contact.' }))),
  pipeline_name: Type.Optional(Type.String({ description: 'Name of its pipeline.', examples: ['Sales'] })),
};

const exampleRecord = {
  id: '0197a3c4-6d02-7e51-8a10-94b1d7f3c2e0',
  name: 'Acme renewal',
  pipeline_id: '0197a3c4-5b1e-7c3a-9f00-2d6f1c0a7b11',
  stage_id: '0197a3c4-5b20-7f0c-b6a1-6a1f0e9d8c72',
  stage_name: 'Qualified',
  account_id: '0197a3c4-6c9a-7d44-9c3b-0b5e8f7a6d13',
  contact_id: '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4',
  additional_contacts: [
    {
      contact_id: '0197a3c4-6cd7-7b13-a2f6-7e8d9c0b1a25',
      contact_first_name: 'Grace',
      contact_last_name: 'Hopper',
      contact_email: 'grace@acme.com',
    },
  ],
  custom_fields: { deal_tier: 'enterprise' },
};

/** An opportunity as lists, searches and gets answer it. */
export const Opportunity = Type.Object(
  {
    id: uuid('Id of the opportunity.'),
    name: nullable(Type.String({ description: 'Name of the deal.', examples: ['Acme renewal'] })),
    pipeline_id: uuid('Its pipeline.'),
    stage_id: nullable(uuid('Its stage.')),
    stage_name: nullable(Type.String({ description: 'Label of its stage.', examples: ['Qualified'] })),
    account_id: nullable(uuid('Its account.')),
    contact_id: nullable(uuid('Its primary contact.')),
    additional_contacts: Type.Array(AdditionalContact, { description: 'Its contacts beside the primary one.' }),
    custom_fields: CustomFields,
    ...extras,
  },
  { title: 'Opportunity', description: 'A deal in a pipeline.', examples: [exampleRecord] },
);
export type Opportunity = Static<typeof Opportunity>;

const exampleDefinitions = {
  deal_tier: {
    current_name: 'Deal tier',
    property_name: 'custom__deal_tier',
    attribute_type: 'select',
    metadata: { options: [{ label: 'Enterprise', value: 'enterprise', color: '#2563eb' }] },
  },
};

/** `data` of a page of opportunities. */
export const OpportunityPage = Type.Object(
  {
    opportunities: Type.Array(Opportunity, { description: 'The records of this page.' }),
    custom_field_definitions: CustomFieldDefinitions,
    ...pageProperties,
  },
  {
    title: 'OpportunityPage',
    description: 'A page of opportunities.',
    examples: [
      {
        opportunities: [exampleRecord],
        custom_field_definitions: exampleDefinitions,
        has_more: false,
        next_cursor: null,
        limit: 100,
      },
    ],
  },
);
export type OpportunityPage = Static<typeof OpportunityPage>;

const name = Type.String({
  maxLength: nameLength,
  description: 'Name of the deal: part of its natural key with account and pipeline; not blank.',
  examples: ['Acme renewal'],
});
const nextStep = (description: string) =>
  Type.String({ maxLength: nextStepLength, description, examples: ['Send proposal'] });
const epochMs = (description: string, example: number) =>
  Type.Number({ description: `${description}, in Unix milliseconds.`, examples: [example] });

/** The fields of a deal that a create or update may set beside its name. */
const writableFields = {
  stage_id: optional(uuid('A stage of the pipeline; its default stage when absent on creation.')),
  deal_size: optional(
    Type.Number({ description: 'At most 15 digits, 4 of them decimals; read as `amount`.', examples: [48000] }),
  ),
  close_date: optional(epochMs('When the deal is expected to close', 1798675200000)),
  next_action_date: optional(epochMs('When the next action is due', 1796083200000)),
  next_step: optional(nextStep('What happens next.')),
  next_steps: optional(nextStep('Another name of `next_step`.')),
  custom_fields: optional(CustomFieldInput),
};

/** The account, contacts and owner of a deal, by their natural keys. */
export const RelatedObjects = closed(
  {
    account_domain: optional(DomainInput('Domain of the company; its account is created when absent.')),
    primary_contact_email: optional(EmailInput('Email of the primary contact, created when absent.')),
    additional_contact_emails: optional(
      KeyList(EmailInput('Email of a contact.', 'grace@acme.com'), 'Emails of further contacts, created when absent.'),
    ),
    owner_email: optional(EmailInput('Email of the member who owns the deal.', 'owner@example.com')),
  },
  { title: 'RelatedObjects', description: 'Account, contacts and owner of the deal, by their natural keys.' },
);

/** The body that creates an opportunity. */
export const CreateOpportunityBody = closed(
  {
    pipeline_id: uuid('The pipeline of the deal.'),
    opportunity: closedWithCustom({ name, ...writableFields }, { description: 'The deal itself.' }),
    related_objects: optional(RelatedObjects),
  },
  {
    title: 'CreateOpportunityBody',
    description: 'An opportunity with its account and contacts.',
    examples: [
      {
        pipeline_id: '0197a3c4-5b1e-7c3a-9f00-2d6f1c0a7b11',
        opportunity: { name: 'Acme renewal', deal_size: 48000, next_step: 'Send proposal' },
        related_objects: {
          account_domain: 'acme.com',
          primary_contact_email: 'ada@acme.com',
          additional_contact_emails: ['grace@acme.com'],
        },
      },
    ],
  },
);
export type CreateOpportunityBody = Static<typeof CreateOpportunityBody>;

/** `data` of a created or matched opportunity. */
export const CreatedOpportunity = Type.Object(
  {
    opportunity_id: uuid('Id of the opportunity.'),
    name: Type.String({ description: 'Its name.', examples: ['Acme renewal'] }),
    amount: nullable(Type.Number({ description: 'Its deal size; null when it has none.', examples: [48000] })),
  },
  {
    title: 'CreatedOpportunity',
    description: 'The opportunity that the call created or found.',
    examples: [{ opportunity_id: exampleRecord.id, name: 'Acme renewal', amount: 48000 }],
  },
);
export type CreatedOpportunity = Static<typeof CreatedOpportunity>;
