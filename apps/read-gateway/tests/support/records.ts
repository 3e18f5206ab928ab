import { randomUUID } from 'node:crypto';
import {
  accountCreate,
  contactCreate,
  type Database,
  insertWebhook,
  loadSetup,
  noteCreate,
  type NewOpportunity,
  opportunityCreate,
  type Write,
} from '@crm/db';
import { type CustomValue, normalizeEmail, type NormalizedEmail } from '@crm/domain';
import type { TestOrganization } from '@crm/testing';
import { writeRecord } from './write-record.js';

/** A deal for a test to read; everything but the name is optional. */
export interface TestDeal extends Partial<Omit<NewOpportunity, 'primaryContact' | 'additionalContacts'>> {
  readonly name: string;
  /** The default is the organization's first pipeline. */
  readonly pipelineId?: string;
  readonly primary?: string;
  readonly additional?: readonly string[];
  /** By slug, in stored form. */
  readonly custom?: Readonly<Record<string, CustomValue>>;
}

/** A note for a test to read, on accounts by domain, on contacts by email and on opportunities by id. */
interface TestNote {
  readonly title: string | null;
  readonly content?: string | null;
  readonly domains?: readonly string[];
  readonly emails?: readonly string[];
  readonly opportunityIds?: readonly string[];
}

const none = { definitions: new Map<string, never>(), values: new Map<string, never>() };

const email = (text: string): NormalizedEmail => {
  const result = normalizeEmail(text);
  if (!result.ok) throw new Error(`not an email: ${text}`);
  return result.value;
};

/** Writes records of an organization as the inbound gateway does. */
export const recordsOf = (database: Database, organization: TestOrganization) => {
  const setup = () => loadSetup(database, organization.id);
  const write = (one: Write<{ readonly id: string }>): Promise<string> => writeRecord(database, organization.id, one);

  return {
    /** @returns the ids of the deals, in order; by default they are created one after the other */
    addDeals: async (deals: readonly TestDeal[], atOnce = 1): Promise<string[]> => {
      const loaded = await setup();
      const definitions = loaded.fieldIndex('opportunity', null).bySlug;
      const add = ({ custom, primary, additional = [], pipelineId, ...deal }: TestDeal): Promise<string> => {
        const pipeline = loaded.findPipeline(pipelineId ?? organization.pipeline.id);
        if (pipeline === undefined) throw new Error(`no pipeline ${pipelineId ?? ''}`);
        const contacts = {
          primaryContact: primary === undefined ? null : email(primary),
          additionalContacts: additional.map(email),
        };
        const values = new Map(Object.entries(custom ?? {}));
        return write(opportunityCreate(loaded, pipeline, { ...deal, ...contacts, definitions, values }, 'keep'));
      };
      const ids: string[] = [];
      for (let start = 0; start < deals.length; start += atOnce) {
        ids.push(...(await Promise.all(deals.slice(start, start + atOnce).map(add))));
      }
      return ids;
    },

    addContact: async (address: string, firstName: string | null, lastName: string | null): Promise<string> =>
      write(contactCreate(await setup(), { email: email(address), firstName, lastName, ...none }, 'keep')),

    addNote: async ({ title, content = null, domains = [], emails = [], opportunityIds = [] }: TestNote) => {
      const note = { title, content, accountDomains: domains, contactEmails: emails.map(email), opportunityIds };
      return write(noteCreate(await setup(), note));
    },

    addAccount: (domain: string, name: string): Promise<string> =>
      write(accountCreate({ domain, name, ...none }, 'keep')),

    /** Adds a webhook with two failed attempts, which a receiver answered with a text. */
    addWebhook: async (response: string): Promise<string> => {
      const id = randomUUID();
      await insertWebhook(database, organization.id, id, 'encrypted', { url: 'https://hooks.example.com/crm' });
      const text = `INSERT INTO webhook_attempts (organization_id, endpoint_id, id, outcome, events, response, occurred_at)
        SELECT $1, $2, gen_random_uuid(), 'failed', 1, $3, now() FROM generate_series(1, 2)`;
      await database.query(organization.id, { text, values: [id, response] });
      return id;
    },
  };
};
