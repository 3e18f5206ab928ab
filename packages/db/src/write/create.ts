import { fold, type NormalizedEmail, opportunityAccountSource, validationError } from '@crm/domain';
import type { Catalog } from '../catalog.js';
import type { Database } from '../database.js';
import { retryTransaction, sqlStateOf, tooManyAdditionalContacts } from '../database-errors.js';
import {
  accountRow,
  accountSeed,
  contactRow,
  type CustomValues,
  type NewAccount,
  type NewContact,
  relatedSeeds,
} from './records.js';
import { storeValues } from './stored-values.js';

/** What a create did to the record of the natural key. */
export type RecordStatus = 'created' | 'matched' | 'updated';

/** Columns of the record that was there already, by name; null when it was created now. */
export type StoredRow = Readonly<Record<string, unknown>> | null;

interface Created {
  readonly id: string;
  readonly recordStatus: RecordStatus;
  readonly stored: StoredRow;
}

/** A deal to be created: normalised, its references resolved against the catalog. */
export interface NewOpportunity extends CustomValues {
  readonly pipelineId: string;
  readonly name: string;
  readonly stageId: string | null;
  readonly ownerId: string | null;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly closeDateMs: number | null;
  readonly nextActionDateMs: number | null;
  readonly nextStep: string | null;
  readonly accountDomain: string | null;
  readonly primaryContact: NormalizedEmail | null;
  /** May name the primary contact, who is left out. */
  readonly additionalContacts: readonly NormalizedEmail[];
}

/** A note to be created on accounts and contacts. */
export interface NewNote {
  readonly title: string | null;
  readonly content: string | null;
  readonly accountDomains: readonly string[];
  readonly contactEmails: readonly NormalizedEmail[];
}

/** Calls one write function: one round trip and one transaction. */
const callFunction = async <Row extends object>(
  database: Database,
  catalog: Catalog,
  text: string,
  args: readonly object[],
): Promise<Row> => {
  const values = args.map((arg) => JSON.stringify(arg));
  const statement = { text, values, isPrepared: true };
  const [row] = await database.query<Row & Record<string, unknown>>(catalog.organizationId, statement);
  if (row === undefined) throw new Error(`No row came back from ${text}`);
  return row;
};

const createAccountSql = 'SELECT id, domain, name, record_status AS "recordStatus", stored FROM create_account($1, $2)';

const createContactSql = `
  SELECT id, email, first_name AS "firstName", last_name AS "lastName", record_status AS "recordStatus", stored
    FROM create_contact($1, $2, $3)`;

const createOpportunitySql = `
  SELECT id, name, amount, record_status AS "recordStatus", stored FROM create_opportunity($1, $2)`;

const createNoteSql = 'SELECT id FROM create_note($1, $2) AS id';

/** Creates the account of a domain, or finds it as it is. */
export const createAccount = (
  database: Database,
  catalog: Catalog,
  account: NewAccount,
): Promise<Created & { domain: string; name: string }> =>
  retryTransaction(() => callFunction(database, catalog, createAccountSql, [accountRow(account)]));

/** Creates the contact of an email with its account, or finds it and fills its empty names. */
export const createContact = (
  database: Database,
  catalog: Catalog,
  contact: NewContact,
): Promise<Created & { email: string; firstName: string | null; lastName: string | null }> => {
  const row = contactRow(catalog, contact);
  const accounts = row.account_domain === null ? [] : [accountSeed(row.account_domain)];
  return retryTransaction(() => callFunction(database, catalog, createContactSql, [accounts, row]));
};

/** Creates the deal of account, pipeline and name with everything that it names, or finds it and brings its contacts up to date. */
export const createOpportunity = async (
  database: Database,
  catalog: Catalog,
  opportunity: NewOpportunity,
): Promise<Created & { name: string; amount: number | null }> => {
  const source = opportunityAccountSource(opportunity.accountDomain, opportunity.primaryContact);
  const accountDomain = source.kind === 'account' ? source.domain : null;
  const { primaryContact } = opportunity;
  const contacts =
    primaryContact === null ? opportunity.additionalContacts : [primaryContact, ...opportunity.additionalContacts];
  const emails = new Set(opportunity.additionalContacts.map(({ email }) => email));
  if (primaryContact !== null) emails.delete(primaryContact.email);
  const input = {
    ...relatedSeeds(catalog, accountDomain === null ? [] : [accountDomain], contacts),
    account_domain: accountDomain,
    primary_email: primaryContact?.email ?? null,
    additional_emails: [...emails],
    row: opportunityRow(opportunity),
  };
  try {
    const created = await retryTransaction(() =>
      callFunction<Created & { name: string; amount: string | null }>(database, catalog, createOpportunitySql, [input]),
    );
    return { ...created, amount: created.amount === null ? null : Number(created.amount) };
  } catch (error) {
    if (sqlStateOf(error) !== tooManyAdditionalContacts) throw error;
    throw validationError({
      'related_objects.additional_contact_emails': 'The opportunity would have more than 100 additional contacts',
    });
  }
};

const opportunityRow = (opportunity: NewOpportunity) => ({
  ...storeValues(opportunity.definitions, opportunity.values, {
    next_step: opportunity.nextStep === null ? null : fold(opportunity.nextStep),
    currency: opportunity.currency === null ? null : fold(opportunity.currency),
  }),
  pipeline_id: opportunity.pipelineId,
  name: opportunity.name,
  name_fold: fold(opportunity.name),
  stage_id: opportunity.stageId,
  owner_id: opportunity.ownerId,
  amount: opportunity.amount,
  currency: opportunity.currency,
  close_date: opportunity.closeDateMs,
  next_action_date: opportunity.nextActionDateMs,
  next_step: opportunity.nextStep,
});

/** Creates a note and whatever accounts and contacts it names that are not there yet. Never repeated: a note has no natural key. */
export const createNote = (database: Database, catalog: Catalog, note: NewNote): Promise<{ id: string }> => {
  const input = {
    ...relatedSeeds(catalog, note.accountDomains, note.contactEmails),
    account_domains: [...new Set(note.accountDomains)],
    contact_emails: [...new Set(note.contactEmails.map(({ email }) => email))],
    title: note.title,
    content: note.content,
  };
  return callFunction(database, catalog, createNoteSql, [input]);
};
