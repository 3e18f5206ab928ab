import { migrate, openAdministrationDatabase, type AdministrationDatabase } from '@crm/db';
import { createTestDatabase } from '@crm/testing';
import { expect } from '@jest/globals';

import { runCrm, type CrmResult } from '../run-crm.js';

/** A migrated database, and functions that run `crm` on it. */
export interface AdministeredDatabase {
  readonly database: AdministrationDatabase;
  crm(...args: string[]): Promise<CrmResult>;
  /** Runs a command with `--json` and returns its object. */
  crmJson(...args: string[]): Promise<Record<string, unknown>>;
  createOrganization(): Promise<string>;
  drop(): Promise<void>;
}

/** Provides a test file with a database to administer. */
export const createAdministeredDatabase = async (
  env: Readonly<Record<string, string>> = {},
): Promise<AdministeredDatabase> => {
  const { url, drop } = await createTestDatabase(async (empty) => {
    await migrate(empty);
  }, 'cli');
  const database = openAdministrationDatabase({ url, applicationName: 'test', maxConnections: 2 });
  const crm = (...args: string[]): Promise<CrmResult> => runCrm(args, { DATABASE_URL: url, ...env });
  const crmJson = async (...args: string[]): Promise<Record<string, unknown>> => {
    const result = await crm(...args, '--json');
    expect({ exitCode: result.exitCode, stderr: result.stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(result.stdout.trim().split('\n')).toHaveLength(1);
    return JSON.parse(result.stdout) as Record<string, unknown>;
  };
  return {
    database,
    crm,
    crmJson,
    createOrganization: async () => String((await crmJson('org', 'create', 'Acme Sales'))['organization_id']),
    drop: async () => {
      await database.close();
      await drop();
    },
  };
};
