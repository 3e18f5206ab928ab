import { maxAdditionalContacts, normalizeForSearch, type NormalizedEmail, opportunityAccountSource } from '@crm/domain';
import type { OrganizationSetup, Pipeline } from '../organization-setup.js';
import type { Database } from '../database.js';
import { relatedSeeds } from './related.js';
import { type Change, type CustomValues, columnChange, sentOnly } from './stored-values.js';
import type { CreatedRecord, OnMatch, UpdateTarget, Write, WrittenRecord } from './write.js';

/** Changes of an opportunity, with normalized values and with references resolved to ids. Undefined keeps the value, null clears it. */
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
  /** The primary contact is ignored if it is in this list. */
  readonly additionalContacts?: readonly NormalizedEmail[] | null | undefined;
}

/** An opportunity to create or find. It has a name or an external id. */
export type NewOpportunity = OpportunityChange;

/** The result of creating an opportunity. */
export interface CreatedOpportunity extends CreatedRecord {
  readonly name: string;
  readonly amount: number | null;
}

/** A change of an opportunity's columns and, if the request names them, its contacts. */
type OpportunityColumns = Change & {
  readonly primary_email?: string | null;
  readonly additional_emails?: readonly string[];
  readonly contact_limit: number;
};

/** The columns of a change and the columns derived from them. */
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

/** The stage of a new opportunity: the pipeline's default stage, or its first active stage. */
const defaultStageId = ({ stages }: Pipeline): string | null => {
  const active = stages.filter(({ isActive }) => isActive);
  return (active.find(({ isDefault }) => isDefault) ?? active[0])?.id ?? null;
};

/**
 * Creates an opportunity, with the missing accounts and contacts that it names. If an opportunity has the external id, or the natural key
 * of account, pipeline and name, this changes that opportunity instead: only its contacts, or all sent values with `onMatch` `update`.
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
      defaults: {
        pipeline_id: pipeline.id,
        stage_id: defaultStageId(pipeline),
        currency: setup.currency,
        normalized: setup.currency === null ? {} : { currency: normalizeForSearch(setup.currency) },
      },
      change: opportunityColumns(opportunity),
      ...(externalId === undefined ? {} : { account_change: sentOnly({ account_domain: accountDomain }) }),
      on_match: onMatch,
    },
  };
};

/** Changes an opportunity and creates the missing accounts and contacts that the change names. */
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

/** The pipeline ids of some opportunities by the id of the opportunity. Opportunities that do not exist are left out. */
export const findOpportunityPipelineIds = async (
  database: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const statement = {
    text: 'SELECT id, pipeline_id FROM opportunities WHERE organization_id = $1 AND id = ANY ($2::uuid[])',
    values: [ids],
  };
  const rows = await database.query<{ id: string; pipeline_id: string }>(organizationId, statement);
  return new Map(rows.map((row) => [row.id, row.pipeline_id]));
};
