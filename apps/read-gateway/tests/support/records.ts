import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  accountCreate,
  contactCreate,
  type Database,
  insertWebhook,
  loadSetup,
  noteCreate,
  opportunityCreate,
  type OrganizationSetup,
  runWrite,
  type Write,
} from '@crm/db';
import { changeOf, type CustomValue, type ObjectType } from '@crm/domain';
import type { TestOrganization } from '@crm/testing';

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
  readonly custom?: Custom;
}

/** A note for a test to read, on accounts by domain, on contacts by email and on opportunities by id. */
export interface TestNote {
  readonly title: string | null;
  readonly content?: string | null;
  readonly domains?: readonly string[];
  readonly emails?: readonly string[];
  readonly opportunityIds?: readonly string[];
}

/** Records of the same millisecond sort in random order, so the next write waits for a later one. */
const pauseMs = 3;

/** Custom values by slug, in stored form. */
type Custom = Readonly<Record<string, CustomValue>>;

/** Writes records of an organization as the inbound gateway does. Each method returns the id of what it wrote. */
export const recordsOf = (database: Database, organization: TestOrganization) => {
  const loadOwnSetup = () => loadSetup(database, organization.id);

  const run = async (write: Write<{ readonly id: string }>): Promise<string> => {
    const { result } = await runWrite(database, organization.id, write, null);
    await sleep(pauseMs);
    return result.id;
  };

  const create = (
    setup: OrganizationSetup,
    objectType: ObjectType,
    values: Readonly<Record<string, unknown>>,
    custom: Custom = {},
    pipelineId = organization.pipeline.id,
  ): Promise<string> => {
    const definitions = setup.fieldIndex(objectType, null).bySlug;
    const change = changeOf(objectType, values, { definitions, values: new Map(Object.entries(custom)) });
    if (objectType === 'account') return run(accountCreate(change, 'keep'));
    if (objectType === 'contact') return run(contactCreate(setup, change, 'keep'));
    const pipeline = setup.findPipeline(pipelineId);
    if (pipeline === undefined) throw new Error(`no pipeline ${pipelineId}`);
    return run(opportunityCreate(setup, pipeline, change, 'keep'));
  };

  return {
    /** Adds a record of any object, with values by the names of its fields. Deals go into the first pipeline. */
    add: async (objectType: ObjectType, values: Readonly<Record<string, unknown>>, custom: Custom = {}) =>
      create(await loadOwnSetup(), objectType, values, custom),

    /** @returns the ids of the deals, in order; by default they are created one after the other */
    addDeals: async (deals: readonly TestDeal[], atOnce = 1): Promise<string[]> => {
      const setup = await loadOwnSetup();
      const add = (deal: TestDeal): Promise<string> => {
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
        return create(setup, 'opportunity', values, deal.custom, deal.pipelineId);
      };
      const ids: string[] = [];
      for (let start = 0; start < deals.length; start += atOnce) {
        ids.push(...(await Promise.all(deals.slice(start, start + atOnce).map(add))));
      }
      return ids;
    },

    addContact: async (email: string, firstName: string | null, lastName: string | null) =>
      create(await loadOwnSetup(), 'contact', { email, first_name: firstName, last_name: lastName }),

    addAccount: async (domain: string, name: string) => create(await loadOwnSetup(), 'account', { domain, name }),

    addNote: async ({ title, content = null, domains = [], emails = [], opportunityIds = [] }: TestNote) => {
      const note = { title, content, accountDomains: domains, contactEmails: emails, opportunityIds };
      return run(noteCreate(await loadOwnSetup(), note));
    },

    /** Adds a webhook with two failed attempts, which a receiver answered with a text, and two parked records. */
    addWebhook: async (response: string): Promise<string> => {
      const id = randomUUID();
      await insertWebhook(database, organization.id, id, 'encrypted', 'a test', {
        url: 'https://hooks.example.com/crm',
      });
      const text = `INSERT INTO webhook_attempts (organization_id, endpoint_id, id, outcome, events, response, occurred_at)
        SELECT $1, $2, gen_random_uuid(), 'failed', 1, $3, now() FROM generate_series(1, 2)`;
      await database.query(organization.id, { text, values: [id, response] });
      const parked = `INSERT INTO webhook_parked (organization_id, endpoint_id, object, record_id, position, attempts, error)
        SELECT $1, $2, 'account', gen_random_uuid(), n, 1, $3 FROM generate_series(1, 2) n`;
      await database.query(organization.id, { text: parked, values: [id, response] });
      return id;
    },
  };
};
