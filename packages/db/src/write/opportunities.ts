import {
  bodyPathOf,
  type Change,
  type References,
  maxAdditionalContacts,
  normalizeForSearch,
  opportunityAccountSource,
} from '@crm/domain';
import type { OrganizationSetup, Pipeline } from '../organization-setup.js';
import type { Database } from '../database.js';
import { contactCreate } from './contacts.js';
import { type NewNote, noteCreate } from './notes.js';
import { type Link, linksOfList, relatedSeeds, withLinks } from './related.js';
import type { CreatedRecord, OnMatch, UpdateTarget, Write, WrittenRecord } from './write.js';

/** The result of creating an opportunity. */
export interface CreatedOpportunity extends CreatedRecord {
  readonly name: string;
  readonly amount: number | null;
  readonly account_id: string | null;
  readonly contact_id: string | null;
  /** The note that the request sent. */
  readonly note_id?: string;
  /** Sent fields of the primary contact that differ from the stored ones and were not applied. */
  readonly unapplied_contact?: readonly string[];
}

/** The records that a create of an opportunity sends with it, and how it names its pipeline. */
export interface OpportunityParts {
  /** Whether the request has the name of the pipeline and not its id. */
  readonly namesPipeline?: boolean | undefined;
  /** The primary contact, whose email is also that of the references. */
  readonly primaryContact?: Change | undefined;
  readonly note?: Pick<NewNote, 'title' | 'content'> | undefined;
}

/** A value, or null if a request clears it in one of its two forms and does not set it in the other; undefined if it sends neither. */
const sentAs = <Value>(value: Value | null | undefined, other: unknown): Value | null | undefined =>
  value ?? (value === null || other === null ? null : undefined);

/** What a write function takes as the change of an opportunity: its columns and, if the request names them, its contacts. */
export const opportunityInput = ({ references, ...change }: Change) => {
  const { primary_email: primary, additional_emails: emails, additional_external_ids: externalIds } = references;
  // The database adds the emails of the external ids.
  const additional = emails === undefined && externalIds === undefined ? undefined : (emails ?? []);
  return {
    ...change,
    primary_email: sentAs(primary, references.primary_external_id),
    // The primary contact is ignored if it is in the list.
    additional_emails: additional === undefined ? undefined : [...new Set(additional)].filter((one) => one !== primary),
    contact_limit: maxAdditionalContacts,
  };
};

const pathOf = (reference: keyof References): string => bodyPathOf('opportunity', reference);

/** The accounts and contacts that a change names by external id. @param accountInto - where the domain of the account goes */
const linksOf = ({ references }: Change, accountInto: Link['into']): Link[] => {
  const { account_external_id: account, primary_external_id: primary } = references;
  const link = (
    object: Link['object'],
    external_id: string,
    key: string | null | undefined,
    path: string,
    into: Link['into'],
  ) => [{ object, external_id, key: key ?? undefined, path, into }];
  return [
    ...(account ? link('account', account, references.account_domain, pathOf('account_external_id'), accountInto) : []),
    ...(primary
      ? link('contact', primary, references.primary_email, pathOf('primary_external_id'), [['change', 'primary_email']])
      : []),
    ...linksOfList('contact', references.additional_external_ids, pathOf('additional_external_ids'), [
      'change',
      'additional_emails',
    ]),
  ];
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
 * The primary contact of `parts` is created or found as by {@link contactCreate}; its note is added unless the opportunity has an equal one.
 */
export const opportunityCreate = (
  setup: OrganizationSetup,
  pipeline: Pipeline,
  change: Change,
  onMatch: OnMatch,
  { namesPipeline = false, primaryContact, note }: OpportunityParts = {},
): Write<CreatedOpportunity> => {
  const { account_domain: accountDomain, primary_email: primary, ...other } = change.references;
  const source = opportunityAccountSource(accountDomain ?? null, primary ?? null);
  // The account of an external id is known only in the database.
  const isLinked = Boolean(other.account_external_id) && !accountDomain;
  const domain = source.kind === 'account' && !isLinked ? source.domain : null;
  const takesAccountOfContact = Boolean(other.primary_external_id) && source.kind === 'none' && !isLinked;
  const hasExternalId = change.set['external_id'] !== undefined;
  const into = [['account_domain'], ...(hasExternalId ? [['account_change', 'account_domain']] : [])];
  const input = {
    ...relatedSeeds(setup, domain === null ? [] : [domain], emailsOf(change)),
    account_domain: domain,
    defaults: {
      pipeline_id: pipeline.id,
      stage_id: defaultStageId(pipeline),
      currency: setup.currency,
      normalized: setup.currency === null ? {} : { currency: normalizeForSearch(setup.currency) },
    },
    change: opportunityInput(change),
    account_change: hasExternalId ? { account_domain: accountDomain } : undefined,
    on_match: onMatch,
    takes_account_of_contact: takesAccountOfContact ? true : undefined,
    names_pipeline: namesPipeline ? true : undefined,
    primary_contact: primaryContact && contactCreate(setup, primaryContact, onMatch).input,
    note: note && noteCreate(setup, { ...note, accountDomains: [], contactEmails: [] }).input,
  };
  return { function: 'create_opportunity', input: withLinks(input, linksOf(change, into)) };
};

/** Changes an opportunity and creates the missing accounts and contacts that the change names. */
export const opportunityUpdate = (
  setup: OrganizationSetup,
  { id, version }: UpdateTarget,
  change: Change,
): Write<WrittenRecord> => {
  const { account_domain: domain, account_external_id: externalId } = change.references;
  const accountDomain = sentAs(domain, externalId);
  const input = {
    id,
    ...relatedSeeds(setup, accountDomain ? [accountDomain] : [], emailsOf(change)),
    change: { ...opportunityInput(change), account_domain: accountDomain, version },
  };
  return { function: 'update_opportunity', input: withLinks(input, linksOf(change, [['change', 'account_domain']])) };
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
