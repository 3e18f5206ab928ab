import { type AdministrationDatabase, openAdministrationDatabase } from '@crm/db';
import { createTestOrganization } from '@crm/testing/suites';
import { type TestOrganization, type TestStack } from '@crm/testing';
import { type ClientOptions, createClient, type CrmClient } from '../../src/index.js';

/** An organization of its own on the gateways that all test files share. */
export interface TestCrm {
  readonly organization: TestOrganization;
  readonly client: CrmClient;
  readonly addresses: { readonly readUrl: string; readonly inboundUrl: string };
  readonly database: AdministrationDatabase;
  /** A client with other options. */
  clientWith(options: Partial<ClientOptions>): CrmClient;
  stop(): Promise<void>;
}

/** Sets up the organization of one test file. */
export const startTestCrm = async ({ databaseUrl, readUrl, inboundUrl }: TestStack): Promise<TestCrm> => {
  const database = openAdministrationDatabase({ url: databaseUrl, applicationName: 'client-test' });
  const organization = await createTestOrganization(database);
  const addresses = { readUrl, inboundUrl };
  const clientWith = (options: Partial<ClientOptions>): CrmClient =>
    createClient({ ...addresses, apiKey: organization.key, ...options });
  return { organization, database, client: clientWith({}), addresses, clientWith, stop: () => database.close() };
};

/** All items of a list. */
export const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

/** The error with which a call ends. */
export const refusal = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
