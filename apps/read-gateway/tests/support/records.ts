import {
  createAccount,
  createContact,
  createOpportunity,
  type Database,
  loadCatalog,
  type NewOpportunity,
} from '@crm/db';
import { type CustomValue, normalizeEmail, type NormalizedEmail } from '@crm/domain';
import type { TestOrganization } from '@crm/testing';

/** A deal to write before a test reads it; everything but the name may be left out. */
export interface TestDeal extends Partial<Omit<NewOpportunity, 'primaryContact' | 'additionalContacts'>> {
  readonly name: string;
  readonly primary?: string;
  readonly additional?: readonly string[];
  /** By slug, in stored form. */
  readonly custom?: Readonly<Record<string, CustomValue>>;
}

const none = { definitions: new Map<string, never>(), values: new Map<string, never>() };

const email = (text: string): NormalizedEmail => {
  const result = normalizeEmail(text);
  if (!result.ok) throw new Error(`not an email: ${text}`);
  return result.value;
};

const wholeDeal = (organization: TestOrganization, deal: TestDeal): Omit<NewOpportunity, 'definitions' | 'values'> => ({
  pipelineId: organization.pipeline.id,
  stageId: null,
  ownerId: null,
  amount: null,
  currency: null,
  closeDateMs: null,
  nextActionDateMs: null,
  nextStep: null,
  accountDomain: null,
  ...deal,
  primaryContact: deal.primary === undefined ? null : email(deal.primary),
  additionalContacts: (deal.additional ?? []).map(email),
});

/** Writes records of an organization as the inbound gateway does. */
export const recordsOf = (database: () => Database, organization: () => TestOrganization) => {
  const catalog = () => loadCatalog(database(), organization().id);
  return {
    /** @returns the ids of the deals, in order; they are made one after the other unless told otherwise */
    addDeals: async (deals: readonly TestDeal[], atOnce = 1): Promise<string[]> => {
      const loaded = await catalog();
      const definitions = loaded.fieldCatalogue('opportunity', null).bySlug;
      const ids: string[] = [];
      for (let start = 0; start < deals.length; start += atOnce) {
        const some = deals.slice(start, start + atOnce).map(async ({ custom, ...deal }) => {
          const values = new Map(Object.entries(custom ?? {}));
          const row = { ...wholeDeal(organization(), deal), definitions, values };
          return (await createOpportunity(database(), loaded, row)).id;
        });
        ids.push(...(await Promise.all(some)));
      }
      return ids;
    },

    addContact: async (address: string, firstName: string | null, lastName: string | null): Promise<string> => {
      const contact = { email: email(address), firstName, lastName, jobTitle: null, phone: null, ...none };
      return (await createContact(database(), await catalog(), contact)).id;
    },

    addAccount: async (domain: string, name: string): Promise<string> => {
      const account = { domain, name, industry: null, description: null, website: null, employeeRange: null, ...none };
      return (await createAccount(database(), await catalog(), account)).id;
    },
  };
};
