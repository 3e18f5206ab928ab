import { type Change, maxAdditionalContacts, normalizeForSearch, opportunityAccountSource } from '@crm/domain';
import type { OrganizationSetup, Pipeline } from '../organization-setup.js';
import type { Database } from '../database.js';
import { relatedSeeds } from './related.js';
import type { CreatedRecord, OnMatch, UpdateTarget, Write, WrittenRecord } from './write.js';

/** The result of creating an opportunity. */
export interface CreatedOpportunity extends CreatedRecord {
  readonly name: string;
  readonly amount: number | null;
}

/** What a write function takes as the change of an opportunity: its columns and, if the request names them, its contacts. */
export const opportunityInput = ({ references, ...change }: Change) => {
  const { primary_email: primary, additional_emails: additional } = references;
  return {
    ...change,
    primary_email: primary,
    // The primary contact is ignored if it is in the list.
    additional_emails: additional === undefined ? undefined : [...new Set(additional)].filter((one) => one !== primary),
    contact_limit: maxAdditionalContacts,
  };
};

const emailsOf = ({ references: { primary_email: primary, additional_emails: additional } }: Change): string[] => [
  ...(primary ? [primary] : []),
  ...(additional ?? []),
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
  change: Change,
  onMatch: OnMatch,
): Write<CreatedOpportunity> => {
  const { account_domain: accountDomain, primary_email: primary } = change.references;
  const source = opportunityAccountSource(accountDomain ?? null, primary ?? null);
  const domain = source.kind === 'account' ? source.domain : null;
  return {
    function: 'create_opportunity',
    input: {
      ...relatedSeeds(setup, domain === null ? [] : [domain], emailsOf(change)),
      account_domain: domain,
      defaults: {
        pipeline_id: pipeline.id,
        stage_id: defaultStageId(pipeline),
        currency: setup.currency,
        normalized: setup.currency === null ? {} : { currency: normalizeForSearch(setup.currency) },
      },
      change: opportunityInput(change),
      account_change: change.set['external_id'] === undefined ? undefined : { account_domain: accountDomain },
      on_match: onMatch,
    },
  };
};

/** Changes an opportunity and creates the missing accounts and contacts that the change names. */
export const opportunityUpdate = (
  setup: OrganizationSetup,
  { id, version }: UpdateTarget,
  change: Change,
): Write<WrittenRecord> => {
  const { account_domain: accountDomain } = change.references;
  return {
    function: 'update_opportunity',
    input: {
      id,
      ...relatedSeeds(setup, accountDomain ? [accountDomain] : [], emailsOf(change)),
      change: { ...opportunityInput(change), account_domain: accountDomain, version },
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
