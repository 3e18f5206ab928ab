import { Type, type Static } from 'typebox';
import { instant, nullable, uuid } from './build.js';
import { CustomFieldDefinitions, CustomFields } from './custom-field.js';
import { exampleIds } from './example-ids.js';
import { pageProperties } from './pagination.js';

/** A contact of an opportunity other than its primary one. */
export const AdditionalContact = Type.Object(
  {
    contact_id: uuid('Id of the contact.', 'contact'),
    contact_first_name: nullable(Type.String({ description: 'First name.', examples: ['Grace'] })),
    contact_last_name: nullable(Type.String({ description: 'Last name.', examples: ['Hopper'] })),
    contact_email: nullable(Type.String({ format: 'email', description: 'Email.', examples: ['grace@acme.com'] })),
  },
  { title: 'AdditionalContact', additionalProperties: false, description: 'A contact other than the primary one.' },
);
export type AdditionalContact = Static<typeof AdditionalContact>;

/** The system fields of an opportunity that are returned only if `fields` names them, or by a get by id. */
const extras = {
  external_id: Type.Optional(
    nullable(Type.String({ description: 'Its id in another system.', examples: ['SF-0012'] })),
  ),
  amount: Type.Optional(nullable(Type.Number({ description: 'Deal size.', examples: [48000] }))),
  currency: Type.Optional(nullable(Type.String({ description: 'ISO 4217 code.', examples: ['USD'] }))),
  close_date: Type.Optional(nullable(Type.Integer({ description: 'Unix milliseconds.', examples: [1798675200000] }))),
  next_action_date: Type.Optional(
    nullable(Type.Integer({ description: 'Unix milliseconds.', examples: [1796083200000] })),
  ),
  next_step: Type.Optional(nullable(Type.String({ description: 'The next step.', examples: ['Send proposal'] }))),
  owner_id: Type.Optional(nullable(uuid('Id of the member who owns the deal.', 'member'))),
  owner_email: Type.Optional(nullable(Type.String({ format: 'email', description: 'Email of the owner.' }))),
  created_at: Type.Optional(instant('When it was created.')),
  updated_at: Type.Optional(instant('When it last changed.')),
  version: Type.Optional(Type.Integer({ description: 'Increases with every change; also the `ETag`.', examples: [3] })),
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
  id: exampleIds.opportunity,
  name: 'Acme renewal',
  pipeline_id: exampleIds.pipeline,
  stage_id: exampleIds.stage,
  stage_name: 'Qualified',
  account_id: exampleIds.account,
  contact_id: exampleIds.contact,
  additional_contacts: [
    {
      contact_id: exampleIds.secondContact,
      contact_first_name: 'Grace',
      contact_last_name: 'Hopper',
      contact_email: 'grace@acme.com',
    },
  ],
  custom_fields: { deal_tier: 'enterprise' },
};

/** An opportunity in lists, searches and gets. */
export const Opportunity = Type.Object(
  {
    id: uuid('Id of the opportunity.', 'opportunity'),
    name: nullable(Type.String({ description: 'Name of the deal.', examples: ['Acme renewal'] })),
    pipeline_id: uuid('Its pipeline.', 'pipeline'),
    stage_id: nullable(uuid('Its stage.', 'stage')),
    stage_name: nullable(Type.String({ description: 'Label of its stage.', examples: ['Qualified'] })),
    account_id: nullable(uuid('Its account.', 'account')),
    contact_id: nullable(uuid('Its primary contact.', 'contact')),
    additional_contacts: Type.Array(AdditionalContact, { description: 'Its contacts other than the primary one.' }),
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

/** `data` of one opportunity. */
export const OpportunityDetail = Type.Object(
  { opportunity: Opportunity, custom_field_definitions: CustomFieldDefinitions },
  {
    title: 'OpportunityDetail',
    description: 'One opportunity with every system field and visible custom field, unless `fields` narrows it.',
    examples: [
      {
        opportunity: { ...exampleRecord, amount: 48000, created_at: '2026-03-02T09:30:00.000Z', version: 3 },
        custom_field_definitions: exampleDefinitions,
      },
    ],
  },
);
export type OpportunityDetail = Static<typeof OpportunityDetail>;
