import { maxAdditionalContacts, normalizeForSearch, type NormalizedEmail, opportunityAccountSource } from '@crm/domain';
import type { OrganizationSetup, Pipeline } from '../organization-setup.js';
import type { Database } from '../database.js';
import { relatedSeeds } from './related.js';
import { type Change, type CustomValues, columnChange, sentOnly } from './stored-values.js';
import type { CreatedRecord, OnMatch, UpdateTarget, Write, WrittenRecord } from './write.js';

/** Changes to a deal: normalised, its references resolved against the setup. Undefined keeps, null clears. */
export interface OpportunityChange extends CustomValues {
  readonly name?: string | undefined;
  readonly externalId?: string | null | undefined;
  readonly stageId?: string | null | undefined;
  readonly ownerId?: string | null | undefined;
  readonly amount?: number | null | undefined;
  /** ISO 4217. */
  readonly currency?: string | null | undefined;
  readonly closeDateMs?: number | null | undefined;
  readonly nextActionDateMs?: number | null | undefined;
  readonly nextStep?: string | null | undefined;
  readonly accountDomain?: string | null | undefined;
  readonly primaryContact?: NormalizedEmail | null | undefined;
  /** May name the primary contact, who is left out. */
  readonly additionalContacts?: readonly NormalizedEmail[] | null | undefined;
}

/** A deal to be created or found: it has a name or an external id. */
export type NewOpportunity = OpportunityChange;

/** What the create of an opportunity answers. */
export interface CreatedOpportunity extends CreatedRecord {
  readonly name: string;
  readonly amount: number | null;
}

/** A deal's change, with its contacts where they are named. */
type OpportunityColumns = Change & {
  readonly primary_email?: string | null;
  readonly additional_emails?: readonly string[];
  readonly contact_limit: number;
};

/** The columns of a change, and what follows from them. */
export const opportunityColumns = (opportunity: OpportunityChange): OpportunityColumns => {
  const { name, primaryContact, additionalContacts } = opportunity;
  const change = columnChange(opportunity, {
    external_id: opportunity.externalId,
    currency: opportunity.currency,
    next_step: opportunity.nextStep,
  });
  const columns = {
    name,
    stage_id: opportunity.stageId,
    owner_id: opportunity.ownerId,
    amount: opportunity.amount,
    close_date: opportunity.closeDateMs,
    next_action_date: opportunity.nextActionDateMs,
  };
  const additionalEmails = new Set((additionalContacts ?? []).map(({ email }) => email));
  if (primaryContact) additionalEmails.delete(primaryContact.email);
  return {
    ...change,
    set: { ...sentOnly(columns), ...change.set },
    derived: { ...(name === undefined ? {} : { normalized_name: normalizeForSearch(name) }), ...change.derived },
    ...(primaryContact === undefined ? {} : { primary_email: primaryContact?.email ?? null }),
    ...(additionalContacts === undefined ? {} : { additional_emails: [...additionalEmails] }),
    contact_limit: maxAdditionalContacts,
  };
};

const contactsOf = ({ primaryContact, additionalContacts }: OpportunityChange): readonly NormalizedEmail[] => [
  ...(primaryContact ? [primaryContact] : []),
  ...(additionalContacts ?? []),
];

/** A new deal starts in the pipeline's default stage, else in its first that is not archived. */
const defaultStageId = ({ stages }: Pipeline): string | null => {
  const active = stages.filter(({ isActive }) => isActive);
  return (active.find(({ isDefault }) => isDefault) ?? active[0])?.id ?? null;
};

/**
 * Creates the deal of account, pipeline and name with everything that it names, or finds that of this key or of the external id and
 * brings its contacts up to date.
 */
export const opportunityCreate = (
  setup: OrganizationSetup,
  pipeline: Pipeline,
  opportunity: NewOpportunity,
  onMatch: OnMatch,
): Write<CreatedOpportunity> => {
  const source = opportunityAccountSource(opportunity.accountDomain ?? null, opportunity.primaryContact ?? null);
  const domain = source.kind === 'account' ? source.domain : null;
  const { externalId, accountDomain } = opportunity;
  return {
    function: 'create_opportunity',
    input: {
      ...relatedSeeds(setup, domain === null ? [] : [domain], contactsOf(opportunity)),
      account_domain: domain,
      defaults: { pipeline_id: pipeline.id, stage_id: defaultStageId(pipeline), currency: setup.currency },
      change: opportunityColumns(opportunity),
      ...(externalId === undefined ? {} : { account_change: sentOnly({ account_domain: accountDomain }) }),
      on_match: onMatch,
    },
  };
};

/** Changes a deal and makes the accounts and contacts that it names where they are absent. */
export const opportunityUpdate = (
  setup: OrganizationSetup,
  { id, version }: UpdateTarget,
  opportunity: OpportunityChange,
): Write<WrittenRecord> => {
  const { accountDomain } = opportunity;
  return {
    function: 'update_opportunity',
    input: {
      id,
      ...relatedSeeds(setup, accountDomain ? [accountDomain] : [], contactsOf(opportunity)),
      change: { ...opportunityColumns(opportunity), ...sentOnly({ account_domain: accountDomain }), version },
    },
  };
};

/** The pipelines of some opportunities by the opportunity's id; those that there are none of are absent. */
export const findOpportunityPipelineIds = async (
  database: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const statement = {
    text: 'SELECT id, pipeline_id FROM opportunities WHERE organization_id = $1 AND id = ANY ($2::uuid[])',
    values: [ids],
    isPrepared: true,
  };
  const rows = await database.query<{ id: string; pipeline_id: string }>(organizationId, statement);
  return new Map(rows.map((row) => [row.id, row.pipeline_id]));
};
