import { randomUUID } from 'node:crypto';
import {
  accountCreate,
  contactCreate,
  type Database,
  insertWebhook,
  loadSetup,
  noteCreate,
  opportunityCreate,
  type Write,
} from '@crm/db';
import { changeOf, type CustomValue } from '@crm/domain';
import type { TestOrganization } from '@crm/testing';
import { writeRecord } from './write-record.js';

/** A deal for a test to read; everything but the name is optional. */
export interface TestDeal {
  readonly name: string;
  readonly stageId?: string | null | undefined;
  readonly ownerId?: string | null | undefined;
  readonly amount?: number;
  readonly currency?: string;
  readonly closeDateMs?: number;
  readonly nextActionDateMs?: number;
  readonly nextStep?: string;
  readonly accountDomain?: string;
  /** The default is the organization's first pipeline. */
  readonly pipelineId?: string;
  readonly primary?: string;
  readonly additional?: readonly string[];
  /** By slug, in stored form. */
  readonly custom?: Readonly<Record<string, CustomValue>>;
}

/** A note for a test to read, on accounts by domain, on contacts by email and on opportunities by id. */
export interface TestNote {
  readonly title: string | null;
  readonly content?: string | null;
  readonly domains?: readonly string[];
  readonly emails?: readonly string[];
  readonly opportunityIds?: readonly string[];
}

/** Writes records of an organization as the inbound gateway does. */
export const recordsOf = (database: Database, organization: TestOrganization) => {
  const setup = () => loadSetup(database, organization.id);
  const write = (one: Write<{ readonly id: string }>): Promise<string> => writeRecord(database, organization.id, one);

  return {
    /** @returns the ids of the deals, in order; by default they are created one after the other */
    addDeals: async (deals: readonly TestDeal[], atOnce = 1): Promise<string[]> => {
      const loaded = await setup();
      const definitions = loaded.fieldIndex('opportunity', null).bySlug;
      const add = (deal: TestDeal): Promise<string> => {
        const pipeline = loaded.findPipeline(deal.pipelineId ?? organization.pipeline.id);
        if (pipeline === undefined) throw new Error(`no pipeline ${deal.pipelineId ?? ''}`);
        const values = {
          name: deal.name,
          stage_id: deal.stageId,
          owner_id: deal.ownerId,
          amount: deal.amount,
          currency: deal.currency,
          close_date: deal.closeDateMs,
          next_action_date: deal.nextActionDateMs,
          next_step: deal.nextStep,
          account_domain: deal.accountDomain,
          contact_email: deal.primary,
          additional_contacts: deal.additional,
        };
        const custom = { definitions, values: new Map(Object.entries(deal.custom ?? {})) };
        return write(opportunityCreate(loaded, pipeline, changeOf('opportunity', values, custom), 'keep'));
      };
      const ids: string[] = [];
      for (let start = 0; start < deals.length; start += atOnce) {
        ids.push(...(await Promise.all(deals.slice(start, start + atOnce).map(add))));
      }
      return ids;
    },

    addContact: async (address: string, firstName: string | null, lastName: string | null): Promise<string> =>
      write(
        contactCreate(
          await setup(),
          changeOf('contact', { email: address, first_name: firstName, last_name: lastName }),
          'keep',
        ),
      ),

    addNote: async ({ title, content = null, domains = [], emails = [], opportunityIds = [] }: TestNote) => {
      const note = { title, content, accountDomains: domains, contactEmails: emails, opportunityIds };
      return write(noteCreate(await setup(), note));
    },

    addAccount: (domain: string, name: string): Promise<string> =>
      write(accountCreate(changeOf('account', { domain, name }), 'keep')),

    /** Adds a webhook with two failed attempts, which a receiver answered with a text. */
    addWebhook: async (response: string): Promise<string> => {
      const id = randomUUID();
      await insertWebhook(database, organization.id, id, 'encrypted', 'a test', {
        url: 'https://hooks.example.com/crm',
      });
      const text = `INSERT INTO webhook_attempts (organization_id, endpoint_id, id, outcome, events, response, occurred_at)
        SELECT $1, $2, gen_random_uuid(), 'failed', 1, $3, now() FROM generate_series(1, 2)`;
      await database.query(organization.id, { text, values: [id, response] });
      return id;
    },
  };
};
