import { setTimeout as sleep } from 'node:timers/promises';
import { type Migration, migrate, openAdministrationDatabase, readFunctions, readMigrations } from '@crm/db';
import {
  reportFigure,
  type GatewayProcess,
  type TestDatabase,
  type TestOrganization,
  testSize,
  urlForRole,
} from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createMigratedDatabase, createTestOrganization } from '@crm/testing/suites';
import { Balancer, type ExpectedSchema, type GatewayKind, startGatewayVersion } from './support/rolling-gateways.js';

/** A new column in every table of records, as in most releases, and an index. */
const expand: Migration = {
  name: '29990101000000_expand',
  sql: ['accounts', 'contacts', 'opportunities', 'notes']
    .map((table) => `ALTER TABLE ${table} ADD COLUMN forecast text;`)
    .concat('CREATE INDEX accounts_forecast ON accounts (organization_id, forecast);')
    .join('\n'),
};

/** Longer than gateways wait for a lock. */
const dumpMs = 4_000;
/** A guard against hanging: up to eight gateways start and stop, while others answer. */
const replacementMs = 240_000;

const kinds = ['read', 'inbound'] as const;
/** How many of each kind of gateway run. Starting them takes most of the time of this test. */
const processes = testSize({ short: 1, soak: 2 });
const callers = 4;
/** Between two requests of a caller. Callers that leave no time make the starts of the gateways take twice as long. */
const pauseMs = testSize({ short: 50, soak: 0 });

let database: TestDatabase;
let organization: TestOrganization;
let migrations: Migration[];
let newer: ExpectedSchema;
let balancer: Balancer;
let environment: Record<string, string>;
/** How often each kind of refusal happened. */
const refused = new Map<string, number>();
const callersAtWork: Promise<void>[] = [];
let isStopped = false;
let answered = 0;

beforeAll(async () => {
  migrations = [...(await readMigrations()), expand];
  newer = { migrations: migrations.map(({ name }) => name), functions: 'newer', release: '9.0.0' };
  database = await createMigratedDatabase();
  const options = { url: database.url, applicationName: 'rolling-upgrade-test', maxConnections: 1 };
  const opened = openAdministrationDatabase(options);
  organization = await createTestOrganization(opened);
  await opened.close();
  environment = {
    CURSOR_SECRETS: 'a secret that only the tests know',
    RATE_LIMIT_LIST: '0',
    RATE_LIMIT_INBOUND: '0',
    LOG_LEVEL: 'error',
  };
  balancer = new Balancer();
  for (const kind of kinds) {
    for (let started = 0; started < processes; started += 1) balancer.add(kind, await start(kind, null));
  }
  for (let caller = 0; caller < callers; caller += 1) callersAtWork.push(callAgainAndAgain(caller));
});
afterAll(async () => {
  isStopped = true;
  await Promise.all(callersAtWork);
  await Promise.all(kinds.flatMap((kind) => balancer.all(kind).map(({ stop }) => stop())));
  await database.drop();
});

const start = (kind: GatewayKind, version: ExpectedSchema | null, page?: '/livez'): Promise<GatewayProcess> =>
  startGatewayVersion(kind, { ...environment, DATABASE_URL: urlForRole(database.url, kind) }, version, page);

const callAgainAndAgain = async (caller: number): Promise<void> => {
  const headers = { 'x-api-key': organization.key, 'content-type': 'application/json' };
  const send = async (kind: GatewayKind, path: string, body?: object): Promise<void> => {
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const outcome = await balancer.send(kind, path, init).then(
      async (response) => (response.ok ? (await response.arrayBuffer(), null) : `${response.status}`),
      (error: unknown) => String((error as Error).cause ?? error),
    );
    if (outcome === null) answered += 1;
    else refused.set(`${path}: ${outcome}`, (refused.get(`${path}: ${outcome}`) ?? 0) + 1);
    await sleep(pauseMs);
  };
  const lists = [`opportunities?pipeline_id=${organization.pipeline.id}`, 'accounts', 'contacts', 'notes'];
  const contact = { email: `caller${caller}@acme.example`, last_name: 'Caller' };
  for (let turn = 0; !isStopped; turn += 1) {
    await send('inbound', '/v1/inbound/opportunities', {
      pipeline_id: organization.pipeline.id,
      opportunity: { name: `Deal ${caller} of ${turn}` },
      related_objects: { account_domain: 'acme.example', primary_contact_email: contact.email },
    });
    await send('inbound', '/v1/inbound/contacts', { ...contact, first_name: `Turn ${turn}` });
    await send('inbound', '/v1/inbound/notes', { note: { title: `Turn ${turn}` }, contact_emails: [contact.email] });
    for (const list of lists) await send('read', `/v1/${list}`);
  }
};

/** Replaces the gateways of each kind, one at a time. Each new one is ready before the old one is asked to stop. */
const replaceAll = async (by: ExpectedSchema | null): Promise<void> => {
  await Promise.all(
    kinds.map(async (kind) => {
      for (const gateway of [...balancer.all(kind)]) {
        balancer.add(kind, await start(kind, by));
        await balancer.remove(kind, gateway);
      }
    }),
  );
};

const functionsOf = async (digest: string) => {
  const { sql } = await readFunctions();
  return { sql: sql.replace('clock_timestamp()', 'clock_timestamp() /* newer */'), digest, release: '9.0.0' };
};

/** Reads every table in one transaction, as pg_dump does. @returns a function that ends it */
const holdLocksAsDump = async (): Promise<() => Promise<void>> => {
  const options = { url: database.url, applicationName: 'dump', idleInTransactionTimeoutMs: 0 };
  const { pool, close } = openAdministrationDatabase(options);
  const client = await pool.connect();
  await client.query('BEGIN; LOCK TABLE accounts, contacts, opportunities, notes IN ACCESS SHARE MODE');
  return async () => {
    await client.query('COMMIT');
    client.release();
    await close();
  };
};

describe('R30: a rolling upgrade under load', () => {
  test(
    'refuses no request while old gateways restart on the migrated database and new ones replace them',
    async () => {
      const endDump = await holdLocksAsDump();
      const migrated = migrate(database.url, { migrations, functions: await functionsOf('newer') });
      await sleep(dumpMs);
      await endDump();
      expect(await migrated).toContain(expand.name);
      await replaceAll(null);
      await replaceAll(newer);
      const refusals = [...refused.values()].reduce((sum, each) => sum + each, 0);
      reportFigure('R30', 'requests refused during a rolling upgrade', refusals, 0);
      expect(refused).toEqual(new Map());
      expect(answered).toBeGreaterThan(100);
    },
    replacementMs,
  );
});
