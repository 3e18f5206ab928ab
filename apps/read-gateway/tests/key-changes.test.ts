import { setTimeout as sleep } from 'node:timers/promises';
import { listPipelines } from '@crm/contract';
import { administration } from '@crm/db';
import type { Answer, TestClient } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { organizationTools } from './support/organization-tools.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

/** The time that the contract promises, and ten times that as a guard against hanging. */
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

/** Asks every process until its answer is as expected; prints how long the last process took. */
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

/** A key that every process has just accepted and so has in its cache. */
const knownKey = async () => {
  const created = await gateway.organization.createKey();
  for (const client of processes) expect((await ask(client, created.key)).status).toBe(200);
  return created;
};

/** Rotates a key and returns the new one. */
const rotate = async (keyId: string, overlapMs: number): Promise<string> => {
  const { key, hash } = organizationTools(gateway.database).newKey();
  const text = { prefix: key.slice(0, 15), hash };
  const { rotateApiKey } = administration(gateway.database);
  await rotateApiKey({ organizationId: gateway.organization.id, keyId, text, overlapMs });
  return key;
};

const isRefused = ({ status }: Answer): boolean => status === 401;

describe('401', () => {
  test('every process soon refuses a revoked key', async () => {
    const { id, key } = await knownKey();
    await gateway.organization.revokeKey(id);
    await untilAll('a revocation', key, isRefused);
  });

  test('refuses a rotated key after its overlap', async () => {
    const { id, key } = await knownKey();
    const successor = await rotate(id, 1);
    await untilAll('the end of an overlap', key, isRefused);
    for (const client of processes) expect((await ask(client, successor)).status).toBe(200);
  });
});

describe('200', () => {
  test('accepts a rotated key and its successor during the overlap', async () => {
    const { id, key } = await knownKey();
    const successor = await rotate(id, 3_600_000);
    for (const client of processes) {
      expect((await ask(client, successor)).status).toBe(200);
      expect((await ask(client, key)).status).toBe(200);
    }
  });

  test('every process applies new limits of an organization and shows them in the headers', async () => {
    const { key } = await knownKey();
    const { limitOrganization } = administration(gateway.database);
    await limitOrganization({ organizationId: gateway.organization.id, limits: { list: 4_321 } });
    const isLimited = ({ headers }: Answer): boolean =>
      headers.get('ratelimit-policy')?.includes('"org-list"; q=4321; w=60') ?? false;
    await untilAll('a limit of an organization', key, isLimited);
  });

  test('records when a key was last used', async () => {
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
