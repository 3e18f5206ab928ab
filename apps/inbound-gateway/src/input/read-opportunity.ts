import type { BodyOf, createOpportunity } from '@crm/contract';
import type { Catalog, NewOpportunity, Pipeline } from '@crm/db';
import { ApiError, ErrorCollector, normalizeName } from '@crm/domain';
import { readCustomValues } from './read-custom-values.js';
import { readAmount, readDomain, readEmail, readEmails, readEpochMs, readText } from './read-fields.js';

type Body = BodyOf<typeof createOpportunity>;

const maxNextStepLength = 2_000;

const readRequiredName = (input: string | null | undefined, errors: ErrorCollector): string => {
  const name = normalizeName(input ?? '');
  if (name.ok) return name.value;
  errors.add('opportunity.name', input === undefined || input === null ? 'is required' : name.message);
  return '';
};

/** Without a stage: the pipeline's default one, else its first. */
const readStage = (pipeline: Pipeline, input: string | null | undefined, errors: ErrorCollector): string | null => {
  if (input === undefined || input === null)
    return (pipeline.stages.find(({ isDefault }) => isDefault) ?? pipeline.stages[0])?.id ?? null;
  const stage = pipeline.stages.find(({ id }) => id === input.toLowerCase());
  if (stage === undefined) errors.add('opportunity.stage_id', 'Is not a stage of this pipeline');
  return stage?.id ?? null;
};

/** `next_steps` is another name of `next_step`; both at once must agree. */
const readNextStep = (
  { next_step: step, next_steps: steps }: Body['opportunity'],
  errors: ErrorCollector,
): string | null => {
  const one = readText(step, 'opportunity.next_step', maxNextStepLength, errors);
  const other = readText(steps, 'opportunity.next_steps', maxNextStepLength, errors);
  if (one !== null && other !== null && one !== other)
    errors.add('opportunity.next_steps', 'Differs from next_step, which is the same field');
  return one ?? other;
};

const readOwner = (catalog: Catalog, input: string | null | undefined, errors: ErrorCollector): string | null => {
  const path = 'related_objects.owner_email';
  const email = readEmail(input, path, errors);
  if (email === null) return null;
  const member = catalog.findMember(email.email);
  if (member === undefined) errors.add(path, 'Is not a member of this organization');
  return member?.id ?? null;
};

/**
 * Normalises the body of a create and resolves what it refers to.
 * @throws ApiError `not_found` for an unknown pipeline; `validation_failed` with every other fault
 */
export const readOpportunity = (catalog: Catalog, body: Body): NewOpportunity => {
  const pipeline = catalog.findPipeline(body.pipeline_id);
  if (pipeline === undefined) throw new ApiError('not_found');
  const errors = new ErrorCollector();
  const { opportunity } = body;
  const related = body.related_objects ?? {};
  const custom = {
    objectType: 'opportunity',
    input: opportunity,
    path: 'opportunity',
    pipelineId: pipeline.id,
  } as const;
  const result: NewOpportunity = {
    ...readCustomValues(catalog, custom, errors),
    pipelineId: pipeline.id,
    name: readRequiredName(opportunity.name, errors),
    stageId: readStage(pipeline, opportunity.stage_id, errors),
    ownerId: readOwner(catalog, related.owner_email, errors),
    amount: readAmount(opportunity.deal_size, 'opportunity.deal_size', errors),
    currency: null,
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
  errors.throwIfAny();
  return result;
};
