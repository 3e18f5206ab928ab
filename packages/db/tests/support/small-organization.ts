import { randomUUID } from 'node:crypto';
import { changeOf, type CustomValue, type ObjectType } from '@crm/domain';
import { readTestStack } from '@crm/testing';
import { setupTools } from '@crm/testing/suites';
import { afterAll, beforeEach } from '@jest/globals';
import { openAdministrationDatabase } from '../../src/administration-database.js';
import type { Database } from '../../src/database.js';
import { loadSetup, type OrganizationSetup, type Pipeline } from '../../src/organization-setup.js';
import {
  addMemberChange,
  createPipelineChanges,
  defineFieldChange,
  type NewField,
  type SetupChange,
} from '../../src/setup/setup-change.js';
import { findEvent, restoration, type RestoredRecord } from '../../src/write/restore.js';
import { accountCreate, accountUpdate } from '../../src/write/accounts.js';
import { contactCreate, contactUpdate } from '../../src/write/contacts.js';
import { deleteRecord } from '../../src/write/deletions.js';
import { recordMerge } from '../../src/write/merges.js';
import { type NewNote, noteCreate } from '../../src/write/notes.js';
import { opportunityCreate, opportunityUpdate } from '../../src/write/opportunities.js';
import {
  type IdempotencyRecord,
  type OnMatch,
  runWrite,
  type UpdateTarget,
  type Write,
} from '../../src/write/write.js';
import { eventLog } from './event-log.js';

type Values = Readonly<Record<string, unknown>>;
type Custom = Readonly<Record<string, CustomValue | null>>;

/** The data of a request under its own Idempotency-Key. */
export const newKey = (): IdempotencyRecord => ({
  operation: 'test',
  keyHash: randomUUID(),
  requestHash: randomUUID(),
});

/** Gives each test of a file an organization with two pipelines and two members, and functions that write its records. */
export const useSmallOrganization = (applicationName: string) => {
  const database = openAdministrationDatabase({
    url: readTestStack().databaseUrl,
    applicationName,
    maxConnections: 3,
  });
  const tools = setupTools(database);
  let setup: OrganizationSetup;
  afterAll(() => database.close());
  beforeEach(async () => {
    const { id: organizationId } = await tools.createOrganization({ name: applicationName });
    await tools.changeSetup(organizationId, [
      ...['Sales', 'Partners'].flatMap((name) =>
        createPipelineChanges(randomUUID(), { name }, [{ label: 'New' }, { label: 'Won' }]),
      ),
      ...['ann', 'bob'].map((name) => addMemberChange(randomUUID(), { name, email: `${name}@team.example` })),
    ]);
    setup = await loadSetup(database, organizationId);
  });

  const organizationId = (): string => setup.organizationId;
  const pipeline = (index = 0): Pipeline => {
    const found = setup.pipelines[index];
    if (found === undefined) throw new Error(`there is no pipeline ${index}`);
    return found;
  };
  const change = (objectType: ObjectType, values: Values, custom: Custom = {}) => {
    const { bySlug: definitions } = setup.fieldIndex(objectType, null);
    return changeOf(objectType, values, { definitions, values: new Map(Object.entries(custom)) });
  };
  /** The write of a create. A deal is in the first pipeline. */
  const creation = (objectType: ObjectType, values: Values, custom: Custom = {}, onMatch: OnMatch = 'keep') => {
    const changed = change(objectType, values, custom);
    if (objectType === 'account') return accountCreate(changed, onMatch);
    if (objectType === 'contact') return contactCreate(setup, changed, onMatch);
    return opportunityCreate(setup, pipeline(), changed, onMatch);
  };
  const update = (objectType: ObjectType, target: UpdateTarget, values: Values, custom: Custom = {}) => {
    const changed = change(objectType, values, custom);
    if (objectType === 'account') return accountUpdate(target, changed);
    if (objectType === 'contact') return contactUpdate(setup, target, changed);
    return opportunityUpdate(setup, target, changed);
  };
  const run = async <Result>(write: Write<Result>, key: IdempotencyRecord | null = null, on: Database = database) =>
    (await runWrite(on, organizationId(), write, key)).result;
  const rows = async <Row extends Record<string, unknown>>(text: string, ...values: readonly unknown[]) =>
    database.query<Row>(organizationId(), { text, values });
  return {
    database,
    changeSetup: (changes: readonly SetupChange[]): Promise<void> => tools.changeSetup(organizationId(), changes),
    /** Defines custom fields of all pipelines, and reads the setup again. */
    defineFields: async (fields: readonly Omit<NewField, 'pipelineIds' | 'name'>[]): Promise<void> => {
      const all = fields.map((field) => ({ name: field.slug, pipelineIds: null, ...field }));
      await tools.changeSetup(
        organizationId(),
        all.map((field) => defineFieldChange(randomUUID(), field)),
      );
      setup = await loadSetup(database, organizationId());
    },
    organizationId,
    pipeline,
    setup: () => setup,
    /** Reads the setup again. */
    reload: async () => (setup = await loadSetup(database, organizationId())),
    changeOf: change,
    contactCreation: (values: Values) => contactCreate(setup, change('contact', values), 'keep'),
    creation,
    update,
    run,
    /** Runs a query in which `$1` is the organization. */
    rows,
    ...eventLog(() => database.pool, organizationId),
    /** Creates a record. @returns its id */
    create: async (objectType: ObjectType, values: Values, custom: Custom = {}, key: IdempotencyRecord | null = null) =>
      (await run<{ readonly id: string }>(creation(objectType, values, custom), key)).id,
    note: async (note: Partial<NewNote>, key: IdempotencyRecord | null = null) =>
      (
        await run(
          noteCreate(setup, { title: null, content: null, accountDomains: [], contactEmails: [], ...note }),
          key,
        )
      ).id,
    merge: (objectType: 'account' | 'contact', id: string, from: string, mergesOpportunities = true) =>
      run(recordMerge(objectType, { id, from, isDryRun: false, mergesOpportunities })),
    remove: async (objectType: ObjectType | 'note', id: string): Promise<void> => {
      await deleteRecord(database, organizationId(), objectType, { id });
    },
    /** Restores the last deletion of a record. */
    restore: async (object: 'account' | 'opportunity', id: string): Promise<RestoredRecord> => {
      const event = await findEvent(database, organizationId(), { object, id });
      if (event === null || event.previous === null) throw new Error('there is no deletion with values');
      return run(restoration(setup, event, object, event.previous));
    },
  };
};
