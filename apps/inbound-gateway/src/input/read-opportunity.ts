import type { CreateOpportunityBody } from '@crm/contract';
import type { OrganizationSetup, NewOpportunity, OpportunityChange, Pipeline } from '@crm/db';
import { type ErrorCollector, unknownPipeline } from '@crm/domain';
import { readCustomValues } from './read-custom-values.js';
import {
  readAmount,
  readCurrency,
  readDomain,
  readEmail,
  readEmails,
  readEpochMs,
  readExternalId,
  readRequiredName,
  readText,
  requireKey,
  type Sent,
} from './read-fields.js';
import { withoutNulls } from './without-nulls.js';

type Opportunity = Partial<CreateOpportunityBody['opportunity']>;

/** Values that creates and updates of an opportunity share. */
interface OpportunityBody {
  readonly opportunity?: Opportunity;
  readonly related_objects?: CreateOpportunityBody['related_objects'];
}

const maxNextStepLength = 2_000;

const readStage = (pipeline: Pipeline, input: Sent<string>, errors: ErrorCollector): Sent<string> => {
  if (input === undefined || input === null) return input;
  const stage = pipeline.stages.find(({ id }) => id === input.toLowerCase());
  if (stage === undefined) errors.add('opportunity.stage_id', 'is not a stage of this pipeline');
  else if (!stage.isActive) errors.add('opportunity.stage_id', 'is archived');
  return stage?.id;
};

/**
 * The pipeline of a create. It may be archived: the create may find an opportunity in it. @throws ApiError `not_found` for an unknown one
 */
export const pipelineForCreate = (setup: OrganizationSetup, id: string): Pipeline => {
  const pipeline = setup.findPipeline(id);
  if (pipeline === undefined) throw unknownPipeline();
  return pipeline;
};

/** `next_steps` is another name of `next_step`. If both are sent, they must be equal. */
const readNextStep = (opportunity: Opportunity, errors: ErrorCollector): Sent<string> => {
  const one = readText(opportunity.next_step, 'opportunity.next_step', maxNextStepLength, errors);
  const other = readText(opportunity.next_steps, 'opportunity.next_steps', maxNextStepLength, errors);
  if (one !== undefined && other !== undefined && one !== other)
    errors.add('opportunity.next_steps', 'differs from next_step, which is the same field');
  return one === undefined ? other : one;
};

const readOwner = (setup: OrganizationSetup, input: Sent<string>, errors: ErrorCollector): Sent<string> => {
  const path = 'related_objects.owner_email';
  const email = readEmail(input, path, errors);
  if (email === undefined || email === null) return email;
  const member = setup.findMember(email.email);
  if (member === undefined) errors.add(path, 'is not a member of this organization');
  else if (!member.isActive) errors.add(path, 'is a former member');
  return member?.id;
};

/** Normalizes changes to an opportunity of a pipeline and resolves what they refer to; adds every fault to `errors`. */
export const readOpportunityChange = (
  setup: OrganizationSetup,
  pipeline: Pipeline,
  body: OpportunityBody,
  errors: ErrorCollector,
): OpportunityChange => {
  const opportunity = body.opportunity ?? {};
  const related = body.related_objects ?? {};
  const custom = { objectType: 'opportunity', input: opportunity, path: 'opportunity' } as const;
  return {
    ...readCustomValues(setup, { ...custom, pipelineId: pipeline.id }, errors),
    name: readRequiredName(opportunity.name, 'opportunity.name', errors) ?? undefined,
    externalId: readExternalId(opportunity.external_id, 'opportunity.external_id', errors),
    stageId: readStage(pipeline, opportunity.stage_id, errors),
    ownerId: readOwner(setup, related.owner_email, errors),
    amount: readAmount(opportunity.deal_size, 'opportunity.deal_size', errors),
    currency: readCurrency(opportunity.currency, 'opportunity.currency', errors),
    closeDateMs: readEpochMs(opportunity.close_date, 'opportunity.close_date', errors),
    nextActionDateMs: readEpochMs(opportunity.next_action_date, 'opportunity.next_action_date', errors),
    nextStep: readNextStep(opportunity, errors),
    accountDomain: readDomain(related.account_domain, 'related_objects.account_domain', errors),
    primaryContact: readEmail(related.primary_contact_email, 'related_objects.primary_contact_email', errors),
    additionalContacts: readEmails(
      related.additional_contact_emails,
      'related_objects.additional_contact_emails',
      errors,
    ),
  };
};

/** Normalizes the body of a create; adds every fault to `errors`. */
export const readNewOpportunity = (
  setup: OrganizationSetup,
  pipeline: Pipeline,
  body: CreateOpportunityBody,
  errors: ErrorCollector,
): NewOpportunity => {
  const opportunity = withoutNulls(readOpportunityChange(setup, pipeline, body, errors));
  requireKey(['opportunity.name', body.opportunity.name], opportunity.externalId, errors);
  return opportunity;
};
