/** @needs pgbouncer */
import { applyRoles, openAdministrationDatabase } from '@crm/db';
import { createMigratedDatabase, createTestOrganization } from '@crm/testing/suites';
import {
  pgBouncerTranslates,
  startGatewayProcess,
  startPgBouncer,
  testRoleNames,
  untilServed,
  urlForRole,
  type PgBouncer,
  type TestDatabase,
  type TestOrganization,
} from '@crm/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

import { runCrm } from './support/run-crm.js';

const translates = pgBouncerTranslates();
const requests = 60;

let database: TestDatabase;
let organization: TestOrganization;
let pooler: PgBouncer | undefined;

beforeAll(async () => {
  database = await createMigratedDatabase();
  const opened = openAdministrationDatabase({ url: database.url, applicationName: 'test', maxConnections: 1 });
  organization = await createTestOrganization(opened);
  await opened.close();
  // A copy of a database has no settings of roles.
  await applyRoles(database.url, testRoleNames());
});
afterEach(() => pooler?.stop());
afterAll(() => database.drop());

const pool = async (mode: 'session' | 'transaction'): Promise<string> => {
  pooler = await startPgBouncer(urlForRole(database.url, 'inbound'), mode);
  return pooler.url;
};

const start = (url: string) =>
  startGatewayProcess('inbound-gateway', { DATABASE_URL: url, RATE_LIMIT_INBOUND: '0', LOG_LEVEL: 'error' });

/** The findings of `crm doctor` at the pooler's address. */
const examine = async (url: string, check: string): Promise<unknown> => {
  const { stdout } = await runCrm(['doctor', '--json'], { DATABASE_URL: url, CURSOR_SECRETS: 'only for this test' });
  const { findings } = JSON.parse(stdout) as { findings: { check: string }[] };
  return findings.find((finding) => finding.check === check);
};

/** The statuses of parallel writes through a gateway at this address. */
const writeThrough = async (url: string): Promise<number[]> => {
  const gateway = await start(url);
  try {
    return await Promise.all(
      Array.from({ length: requests }, async (_, index) => {
        const body = { pipeline_id: organization.pipeline.id, opportunity: { name: `Deal ${index}` } };
        const send = () =>
          fetch(`${gateway.url}/v1/inbound/opportunities`, {
            method: 'POST',
            headers: { 'x-api-key': organization.key, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          });
        return (await untilServed(send)).status;
      }),
    );
  } finally {
    await gateway.stop();
  }
};

const setLimits = async (change: string): Promise<void> => {
  const opened = openAdministrationDatabase({ url: database.url, applicationName: 'test', maxConnections: 1 });
  const role = testRoleNames().inbound;
  await opened.pool.query(
    `DO $$ BEGIN EXECUTE format('ALTER ROLE ${role} IN DATABASE %I ${change.replaceAll("'", "''")}', current_database()); END $$`,
  );
  await opened.close();
};

describe('through PgBouncer', () => {
  test('in session mode every request is answered', async () => {
    const url = await pool('session');
    expect(await writeThrough(url)).toEqual(Array(requests).fill(200));
    expect(await examine(url, 'time limits')).toMatchObject({ status: 'ok' });
    expect(await examine(url, 'pooler')).toMatchObject({ status: 'ok' });
  });

  test('in transaction mode every request is answered, or none if this version loses prepared statements', async () => {
    const url = await pool('transaction');
    if (translates) {
      expect(await writeThrough(url)).toEqual(Array(requests).fill(200));
      return;
    }
    await expect(start(url)).rejects.toThrow(/code 78[^]*loses prepared statements[^]*PgBouncer 1\.21/);
    expect(await examine(url, 'pooler')).toMatchObject({ status: 'problem' });
  });

  test('a role without time limits is refused until crm roles apply has set them', async () => {
    await setLimits('RESET statement_timeout');
    const unlimited = await pool('session');
    await expect(start(unlimited)).rejects.toThrow(/code 78[^]*has no statement_timeout[^]*run crm roles apply/);
    expect(await examine(unlimited, 'time limits')).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('statement_timeout'),
      advice: expect.stringContaining('crm roles apply'),
    });
    await pooler?.stop();
    const { read, inbound } = testRoleNames();
    const applied = await runCrm(['roles', 'apply', '--read-role', read, '--inbound-role', inbound], {
      DATABASE_URL: database.url,
    });
    expect(applied).toMatchObject({ exitCode: 0 });
    expect(await writeThrough(await pool('session'))).toEqual(Array(requests).fill(200));
  });

  test('a role with another isolation level is refused until crm roles apply has set it', async () => {
    await setLimits("SET default_transaction_isolation = 'serializable'");
    const other = await pool('session');
    await expect(start(other)).rejects.toThrow(/code 78[^]*are serializable, not read committed: run crm roles apply/);
    expect(await examine(other, 'isolation')).toMatchObject({ status: 'problem' });
    await pooler?.stop();
    await applyRoles(database.url, testRoleNames());
    const url = await pool('session');
    expect(await writeThrough(url)).toEqual(Array(requests).fill(200));
    expect(await examine(url, 'isolation')).toMatchObject({ status: 'ok' });
  });

  test('an address without pgbouncer=true is refused with advice', async () => {
    const url = (await pool('session')).replace('?pgbouncer=true', '');
    expect(await examine(url, 'database')).toMatchObject({
      status: 'problem',
      advice: expect.stringContaining('pgbouncer=true'),
    });
  });
});
