import { administration, openAdministrationDatabase, type AdministrationDatabase } from '@crm/db';
import { createMigratedDatabase } from '@crm/testing/suites';
import { expect } from '@jest/globals';

import { runCrm, type CrmResult } from '../run-crm.js';

/** A migrated database, and functions that run `crm` on it. */
export interface AdministeredDatabase {
  readonly database: AdministrationDatabase;
  crm(...args: string[]): Promise<CrmResult>;
  /** Runs a command with `--json` and returns its object. */
  crmJson(...args: string[]): Promise<Record<string, unknown>>;
  /** Runs `crm api` on an organization and returns the `data` of the response. `call` is a method and a path. */
  api(org: string, call: string, body?: object): Promise<Record<string, unknown>>;
  /** Creates an organization without a command, which takes longer. @returns its id */
  createOrganization(): Promise<string>;
  close(): Promise<void>;
}

/** Administers a database, usually the one of `readTestStack()`, in which other test files have organizations too. */
export const administer = (url: string, env: Readonly<Record<string, string>> = {}): AdministeredDatabase => {
  const database = openAdministrationDatabase({ url, applicationName: 'test', maxConnections: 2 });
  const crm = (...args: string[]): Promise<CrmResult> => runCrm(args, { DATABASE_URL: url, ...env });
  const crmJson = async (...args: string[]): Promise<Record<string, unknown>> => {
    const { exitCode, stdout, stderr } = await crm(...args, '--json');
    expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.trim().split('\n')).toHaveLength(1);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const api = async (org: string, call: string, body?: object): Promise<Record<string, unknown>> => {
    const given = body === undefined ? [] : [JSON.stringify(body)];
    return (await crmJson('api', ...call.split(' '), ...given, '--org', org))['data'] as Record<string, unknown>;
  };
  return {
    database,
    crm,
    crmJson,
    api,
    createOrganization: async () => (await administration(database).createOrganization({ name: 'Acme Sales' })).id,
    close: () => database.close(),
  };
};

/** Creates a migrated database, with the roles of the gateways, for a test file that looks at the whole database. */
export const createAdministeredDatabase = async (): Promise<AdministeredDatabase> => {
  const { url, drop } = await createMigratedDatabase();
  const administered = administer(url);
  return {
    ...administered,
    close: async () => {
      await administered.close();
      await drop();
    },
  };
};
