import { setTimeout as sleep } from 'node:timers/promises';
import { listPipelines } from '@crm/contract';
import { administration } from '@crm/db';
import type { Answer, TestClient } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';
import { organizationTools } from './support/organization-tools.js';

/** The time that the contract promises, and ten times that as a guard against hanging. */
const promisedMs = 5_000;
const patienceMs = 10 * promisedMs;

const gateway = useGateway(startTestGateway);
/** Two gateways, each with its own caches: one in a process of its own, one in this process. */
let clients: readonly TestClient[];

beforeAll(async () => {
  clients = [gateway.client, (await gateway.start({ environment: { RATE_LIMIT_LIST: '1000' } })).client];
});

const ask = (client: TestClient, key: string): Promise<Answer> => client.call(listPipelines, { key });

/** Asks every gateway until its answer is as expected; prints how long the last one took. */
const untilAll = async (what: string, key: string, isWanted: (answer: Answer) => boolean): Promise<void> => {
  const startedAtMs = performance.now();
  for (const client of clients) {
    while (!isWanted(await ask(client, key))) {
      if (performance.now() - startedAtMs > patienceMs) throw new Error(`${what} is not known to every gateway`);
      await sleep(100);
    }
  }
  console.log(`${what}: every gateway after ${Math.round(performance.now() - startedAtMs)} ms (${promisedMs} at most)`);
};

const expectAccepted = async (...keys: string[]): Promise<void> => {
  for (const key of keys) for (const client of clients) expect((await ask(client, key)).status).toBe(200);
};

/** A key that every gateway has just accepted and so has in its cache. */
const knownKey = async () => {
  const created = await gateway.organization.createKey();
  await expectAccepted(created.key);
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
  test('every gateway soon refuses a revoked key, and a rotated key after its overlap', async () => {
    const [revoked, rotated] = [await knownKey(), await knownKey()];
    await gateway.organization.revokeKey(revoked.id);
    const successor = await rotate(rotated.id, 1);
    await untilAll('a revocation', revoked.key, isRefused);
    await untilAll('the end of an overlap', rotated.key, isRefused);
    await expectAccepted(successor);
  });
});

describe('200', () => {
  test('accepts a rotated key and its successor during the overlap', async () => {
    const { id, key } = await knownKey();
    await expectAccepted(await rotate(id, 3_600_000), key);
  });

  test('every gateway applies new limits of an organization and shows them in the headers', async () => {
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
    while (!(await listApiKeys(gateway.organization.id)).find((row) => row.id === id)?.lastUsedAt) {
      if (performance.now() > deadlineMs) throw new Error('the use of the key was not noted');
      await sleep(100);
    }
  });
});
