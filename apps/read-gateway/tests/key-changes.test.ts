import { setTimeout as sleep } from 'node:timers/promises';
import { listPipelines } from '@crm/contract';
import { administration } from '@crm/db';
import type { Answer, TestClient } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { organizationTools } from './support/organization-tools.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

/** What the contract promises, and ten times that as the end of all patience. */
const promisedMs = 5_000;
const patienceMs = 10 * promisedMs;

let gateway: TestGateway;
let processes: readonly TestClient[];

beforeAll(async () => {
  gateway = await startTestGateway();
  const started = await Promise.all([gateway.startProcess({ RATE_LIMIT_LIST: '1000' }), gateway.startProcess({})]);
  processes = started.map(({ client }) => client);
});
afterAll(() => gateway.stop());

const ask = (client: TestClient, key: string): Promise<Answer> => client.call(listPipelines, { key });

/** Asks every process until its answer is as wanted; prints how long the last one took. */
const untilAll = async (what: string, key: string, isWanted: (answer: Answer) => boolean): Promise<void> => {
  const startedAtMs = performance.now();
  for (const client of processes) {
    while (!isWanted(await ask(client, key))) {
      if (performance.now() - startedAtMs > patienceMs) throw new Error(`${what} is not known to every process`);
      await sleep(20);
    }
  }
  console.log(`${what}: every process after ${Math.round(performance.now() - startedAtMs)} ms (${promisedMs} at most)`);
};

/** A key that every process has just accepted, so that every process keeps it. */
const knownKey = async () => {
  const created = await gateway.organization.createKey();
  for (const client of processes) expect((await ask(client, created.key)).status).toBe(200);
  return created;
};

/** Puts a new key in the place of one and returns it. */
const rotate = async (keyId: string, overlapMs: number): Promise<string> => {
  const { key, hash } = organizationTools(gateway.database).newKey();
  const text = { prefix: key.slice(0, 15), hash };
  const { rotateApiKey } = administration(gateway.database);
  await rotateApiKey({ organizationId: gateway.organization.id, keyId, text, overlapMs });
  return key;
};

const isRefused = ({ status }: Answer): boolean => status === 401;

describe('401', () => {
  test('a revoked key is refused by every process soon', async () => {
    const { id, key } = await knownKey();
    await gateway.organization.revokeKey(id);
    await untilAll('a revocation', key, isRefused);
  });

  test('a rotated key is refused at the end of its overlap', async () => {
    const { id, key } = await knownKey();
    const successor = await rotate(id, 1);
    await untilAll('the end of an overlap', key, isRefused);
    for (const client of processes) expect((await ask(client, successor)).status).toBe(200);
  });
});

describe('200', () => {
  test('a rotated key and its successor both work during the overlap', async () => {
    const { id, key } = await knownKey();
    const successor = await rotate(id, 3_600_000);
    for (const client of processes) {
      expect((await ask(client, successor)).status).toBe(200);
      expect((await ask(client, key)).status).toBe(200);
    }
  });

  test('limits of an organization reach every process, and name themselves in the headers', async () => {
    const { key } = await knownKey();
    const { limitOrganization } = administration(gateway.database);
    await limitOrganization({ organizationId: gateway.organization.id, limits: { list: 4_321 } });
    const isLimited = ({ headers }: Answer): boolean =>
      headers.get('ratelimit-policy')?.includes('"org-list"; q=4321; w=60') ?? false;
    await untilAll('a limit of an organization', key, isLimited);
  });

  test('the use of a key is noted', async () => {
    const { id } = await knownKey();
    const { listApiKeys } = administration(gateway.database);
    const deadlineMs = performance.now() + patienceMs;
    for (;;) {
      const key = (await listApiKeys(gateway.organization.id)).find((row) => row.id === id);
      if (key?.lastUsedAt) break;
      if (performance.now() > deadlineMs) throw new Error('the use of the key was not noted');
      await sleep(20);
    }
  });
});
