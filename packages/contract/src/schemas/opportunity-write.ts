import { Type, type Static } from 'typebox';
import { bulkCreateItems, bulkUpdateItems, nameLength, nextStepLength } from '../bounds.js';
import { checkedAs, nullable, optional, uuid } from './build.js';
import { bulkBody, bulkTarget } from './bulk.js';
import { CustomFieldInput } from './custom-field.js';
import { exampleIds } from './example-ids.js';
import {
  closed,
  closedWithCustom,
  DomainInput,
  EmailInput,
  ExternalId,
  KeyList,
  requiredWithoutExternalId,
} from './input.js';

const Name = (hint = '') =>
  Type.String({
    maxLength: nameLength,
    description: `Name of the deal, not blank: part of its natural key, together with account and pipeline.${hint}`,
    examples: ['Acme renewal'],
    ...checkedAs('name'),
  });
const nextStep = (description: string) =>
  Type.String({ maxLength: nextStepLength, description, examples: ['Send proposal'] });
const epochMs = (description: string, example: number) =>
  Type.Number({ description: `${description}, in Unix milliseconds.`, examples: [example], ...checkedAs('dealDate') });

/** The fields of a deal that a create or update can set besides its name. */
const writableFields = {
  external_id: ExternalId,
  stage_id: optional(uuid('A stage of the pipeline. A new deal without one starts in the default stage.', 'stage')),
  deal_size: optional(
    Type.Number({
      description: 'A number with at most 15 digits, including up to 4 decimals. Reads return it as `amount`.',
      examples: [48000],
      ...checkedAs('amount'),
    }),
  ),
  currency: optional(
    Type.String({
      description: 'Currency of `deal_size`: an ISO 4217 code in capital letters.',
      examples: ['USD'],
      ...checkedAs('currencyCode'),
    }),
  ),
  close_date: optional(epochMs('When the deal is expected to close', 1798675200000)),
  next_action_date: optional(epochMs('When the next action is due', 1796083200000)),
  next_step: optional(nextStep('The next step.')),
  next_steps: optional(nextStep('Another name of `next_step`.')),
};

/** The account, contacts and owner of a deal, by their natural keys. */
export const RelatedObjects = closed(
  {
    account_domain: optional(DomainInput('Domain of the account, which is created if it is missing.')),
    primary_contact_email: optional(EmailInput('Email of the primary contact, who is created if missing.')),
    additional_contact_emails: optional(
      KeyList(
        EmailInput('Email of a contact.', 'grace@acme.com'),
        'Emails of additional contacts, who are created if missing.',
      ),
    ),
    owner_email: optional(EmailInput('Email of the member who owns the deal.', 'owner@example.com')),
  },
  { title: 'RelatedObjects', description: 'Account, contacts and owner of the deal, by their natural keys.' },
);

/** The body that creates an opportunity. */
export const CreateOpportunityBody = closed(
  {
    pipeline_id: uuid('The pipeline of the deal.', 'pipeline'),
    opportunity: closedWithCustom(
      {
        name: optional(Name(' Optional if an opportunity has the `external_id`.')),
        ...writableFields,
        custom_fields: optional(CustomFieldInput),
      },
      { description: 'The deal itself.', ...requiredWithoutExternalId('name') },
    ),
    related_objects: optional(RelatedObjects),
  },
  {
    title: 'CreateOpportunityBody',
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
);
export type CreateOpportunityBody = Static<typeof CreateOpportunityBody>;

const updateProperties = {
  opportunity: Type.Optional(
    closedWithCustom(
      { name: Type.Optional(Name()), ...writableFields, custom_fields: Type.Optional(CustomFieldInput) },
      {
        description: 'The changes of the deal. Absent fields stay; `null` clears a field. The pipeline cannot change.',
      },
    ),
  ),
  related_objects: Type.Optional(RelatedObjects),
};

/** The body that updates an opportunity. */
export const UpdateOpportunityBody = closed(updateProperties, {
  title: 'UpdateOpportunityBody',
  description:
    'Changes to an opportunity. Absent fields stay; `null` clears a field; a list of contacts replaces the old ' +
    'list.',
  examples: [
    { opportunity: { deal_size: 52000, next_step: null }, related_objects: { owner_email: 'owner@example.com' } },
  ],
});
export type UpdateOpportunityBody = Static<typeof UpdateOpportunityBody>;

/** One item of a bulk update of opportunities. */
export const UpdateOpportunityItem = closed(
  { ...bulkTarget, ...updateProperties },
  { title: 'UpdateOpportunityItem', description: 'Changes to the opportunity with this id.' },
);
export type UpdateOpportunityItem = Static<typeof UpdateOpportunityItem>;

/** The body that creates many opportunities. */
export const BulkCreateOpportunitiesBody = bulkBody(CreateOpportunityBody, bulkCreateItems, {
  title: 'BulkCreateOpportunitiesBody',
  description: 'The records to create, each as in a single create.',
  examples: [{ items: [{ pipeline_id: exampleIds.pipeline, opportunity: { name: 'Acme renewal' } }] }],
});

/** The body that updates many opportunities. */
export const BulkUpdateOpportunitiesBody = bulkBody(UpdateOpportunityItem, bulkUpdateItems, {
  title: 'BulkUpdateOpportunitiesBody',
  description: 'The changes, each as in a single update, with the id of its record.',
  examples: [{ items: [{ id: exampleIds.opportunity, opportunity: { deal_size: 52000 } }] }],
});

/** `data` of a created or matched opportunity. */
export const CreatedOpportunity = Type.Object(
  {
    opportunity_id: uuid('Id of the opportunity.', 'opportunity'),
    name: Type.String({ description: 'Its name.', examples: ['Acme renewal'] }),
    amount: nullable(Type.Number({ description: 'Its deal size; null if it has none.', examples: [48000] })),
  },
  {
    title: 'CreatedOpportunity',
    description: 'The opportunity that the call created or found.',
    examples: [{ opportunity_id: exampleIds.opportunity, name: 'Acme renewal', amount: 48000 }],
  },
);
export type CreatedOpportunity = Static<typeof CreatedOpportunity>;
