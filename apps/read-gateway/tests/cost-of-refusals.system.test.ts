import { bounds } from '@crm/contract';
import {
  type CountedPostgres,
  findFreePort,
  combiningMarks,
  reportFigure,
  type TestOrganization,
  withEachText,
} from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type CountedGateways, type Served, startCountedGateways } from './support/counted-gateways.js';
import { readMetrics, sampleOf } from './support/metrics.js';

const quiet = {
  CURSOR_SECRETS: 'a secret that only the tests know',
  LOG_LEVEL: 'error',
  ...{ RATE_LIMIT_LIST: '0', RATE_LIMIT_SEARCH: '0', RATE_LIMIT_INBOUND: '0', RATE_LIMIT_BULK: '0' },
  RATE_LIMIT_FAILED_AUTH: '0',
};

let gateways: CountedGateways;
let server: CountedPostgres;
let organization: TestOrganization;
let served: readonly Served[];
let adminPorts: readonly [number, number];

beforeAll(async () => {
  adminPorts = [await findFreePort(), await findFreePort()];
  const withPort = (port: number) => ({ ...quiet, ADMIN_PORT: String(port) });
  gateways = await startCountedGateways([withPort(adminPorts[0]), withPort(adminPorts[1])]);
  ({ server, organization, served } = gateways);
  expect(served.length).toBeGreaterThan(25);
});
afterAll(() => gateways.stop());

interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly tookMs: number;
}

interface Cost {
  /** The processor time, in milliseconds, that both gateways have used since they started. */
  readonly cpuMs: number;
  /** The longest time, in milliseconds, that a gateway's event loop was blocked since the last reading. */
  readonly delayMs: number;
}

const readCost = async (): Promise<Cost> => {
  const pages = await Promise.all(adminPorts.map(readMetrics));
  const samples = (name: string): number[] => pages.map((page) => 1_000 * sampleOf(page, name));
  return {
    cpuMs: samples('process_cpu_seconds_total').reduce((sum, ms) => sum + ms),
    delayMs: Math.max(...samples('nodejs_eventloop_lag_max_seconds')),
  };
};

const send = async (operation: Served, key: string, body?: string): Promise<Refusal> => {
  const path = operation.path.replace('{id}', '01890000-0000-7000-8000-000000000000');
  const startedAtMs = performance.now();
  const response = await fetch(`${operation.url}${path}`, {
    method: operation.method,
    headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, text, tookMs: performance.now() - startedAtMs };
};

/** Matches statements on records and the function that does all writes. */
const onRecords =
  /\b(FROM|JOIN|UPDATE|INTO)\s+"?(opportunities|opportunity_contacts|accounts|contacts|notes|note_\w+)\b|\bwrite(_many)?\(/i;

/** Matches the one statement in which a bulk update of opportunities looks up their pipelines before it reads its items. */
const pipelines = /^SELECT id, pipeline_id FROM opportunities WHERE organization_id = \$1 AND id = ANY/;

const leaf = { field: 'name', operator: 'eq', value: 'x' };
const nested = (depth: number): unknown => (depth === 1 ? leaf : { not: nested(depth - 1) });
const many = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

/** Search bodies that just exceed a limit. */
const searches: Readonly<Record<string, unknown>> = {
  'comparisons beyond 50': { filters: many(bounds.filterLeaves + 1, leaf) },
  'filters deeper than 5': { filters: nested(bounds.filterDepth + 1) },
  'lists of more than 200 values': {
    filters: { field: 'name', operator: 'in', value: many(bounds.filterListValues + 1, 'x') },
  },
  'values of more than 2,000 characters': { filters: { field: 'name', operator: 'eq', value: 'x'.repeat(2_001) } },
  'words of more than 200 characters': { query: 'x'.repeat(201) },
  'more than three sorts': { sort: many(bounds.sortKeys + 1, 'name') },
  'more than 100 fields': { fields: many(bounds.fieldsPerSelection + 1, 'name') },
  'a limit beyond 500': { limit: bounds.pageLimitMax + 1 },
  'a cursor that is too long': { cursor: 'x'.repeat(bounds.cursorLength + 1) },
  'words of 31 marks': { query: combiningMarks(31) },
  'a value of 2,000 marks': { filters: { field: 'name', operator: 'contains', value: combiningMarks(2_000) } },
};
/** Ten times the time allowed for a refusal. It bounds processor time because time on a clock also counts other processes. */
const cpuGuardMs = 500;

describe('R9: a request that exceeds a limit', () => {
  test('is refused by every operation without a statement on records', async () => {
    let [slowestMs, slowest] = [0, ''];
    let [mostCpuMs, costliest] = [0, ''];
    let longestDelayMs = 0;
    let count = 0;
    const { key } = await organization.createKey();
    const withOwnPipeline = (body: unknown): string =>
      JSON.stringify(body).replace(/("pipeline_id":)"[-\da-f]{36}"/g, `$1"${organization.pipeline.id}"`);
    const refuse = async (operation: Served, what: string, body: string, expected: number, says = /./) => {
      const { status, text, tookMs } = await send(operation, key, body);
      const { cpuMs, delayMs } = await readCost();
      const about = { operation: operation.id, what };
      expect({ ...about, status, text }).toEqual({ ...about, status: expected, text: expect.stringMatching(says) });
      count += 1;
      if (tookMs > slowestMs) [slowestMs, slowest] = [tookMs, `${operation.id}, ${what}`];
      const usedMs = cpuMs - cpuMsBefore;
      cpuMsBefore = cpuMs;
      if (usedMs > mostCpuMs) [mostCpuMs, costliest] = [usedMs, `${operation.id}, ${what}`];
      longestDelayMs = Math.max(longestDelayMs, delayMs);
    };
    const withBodies = served.filter(({ example }) => example !== undefined);
    // The first request of a process compiles code and looks the key up.
    for (const operation of withBodies) await send(operation, key, '{');
    await server.forget();
    let { cpuMs: cpuMsBefore } = await readCost();
    for (const operation of withBodies) {
      const isBulk = operation.path.endsWith('/bulk');
      const maxBytes = isBulk ? bounds.bulkBodyBytes : bounds.bodyBytes;
      await refuse(operation, 'a body of one byte too many', `{"a":"${'x'.repeat(maxBytes - 7)}"}`, 413);
      await refuse(operation, '33 levels', `{"a":${'['.repeat(32)}${']'.repeat(32)}}`, 400, /deeper than 32/);
      const deep = `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`;
      await refuse(operation, '40,000 levels', deep, 400, /deeper than 32/);
      await refuse(operation, 'one key again and again', `{${many(2_000, '"a":1').join(',')}}`, 400, /given twice/);
      const names = Array.from({ length: Math.floor(maxBytes / 16) }, (_, index) => `"k${index}":1`);
      await refuse(operation, 'names without end', `{${names.join(',')}}`, 400, /more than 2000 names/);
      const values = `[${'{},'.repeat(Math.floor(maxBytes / 3) - 10)}1]`;
      await refuse(operation, 'values without end', `{"a":${values}}`, 400, isBulk ? /more than 200000 values/ : /./);
      const atomic = isBulk ? { ...operation, path: `${operation.path}?atomic=true` } : operation;
      for (const body of withEachText(operation.example, combiningMarks(isBulk ? 600_000 : 120_000))) {
        await refuse(atomic, 'a text of nothing but marks', withOwnPipeline(body), 400);
      }
      if (!operation.path.endsWith('/search')) continue;
      for (const [what, body] of Object.entries(searches)) await refuse(operation, what, JSON.stringify(body), 400);
    }
    const ran = [...(await server.statements()).keys()].filter((text) => onRecords.test(text) && !pipelines.test(text));
    reportFigure('R9', `slowest of ${count} refusals (${slowest}), ms`, Math.round(slowestMs), '< 50, printed');
    reportFigure('R9', 'longest hold-up of an event loop by them, ms', Math.round(longestDelayMs), '< 50, printed');
    reportFigure('R9', `most processor time of one (${costliest}), ms`, Math.round(mostCpuMs), `< ${cpuGuardMs}`);
    reportFigure('R9', 'statements on records in them', ran.length, 0);
    expect(ran).toEqual([]);
    expect(mostCpuMs).toBeLessThan(cpuGuardMs);
  });

  test('is compared with valid requests, in which the same check finds statements', async () => {
    const search = served.find(({ id }) => id === 'searchAccounts');
    const create = served.find(({ id }) => id === 'createAccount');
    if (search === undefined || create === undefined) throw new Error('no such operation');
    for (const [operation, body] of [
      [search, '{}'],
      [create, '{"domain":"acme.com"}'],
    ] as const) {
      await server.forget();
      expect((await send(operation, organization.key, body)).status).toBe(200);
      expect([...(await server.statements()).keys()].filter((text) => onRecords.test(text))).not.toEqual([]);
    }
  });
});
