import { setTimeout as sleep } from 'node:timers/promises';
import { listPipelines } from '@crm/contract';
import { setupTools } from '@crm/testing/suites';
import type { Answer } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';

/** Ten times the five seconds that the contract promises, as a guard against hanging. */
const patienceMs = 50_000;

const gateway = useGateway(startTestGateway);

const ask = (key: string): Promise<Answer> => gateway.client.call(listPipelines, { key });

const until = async (what: string, isReached: () => Promise<boolean>): Promise<void> => {
  const deadlineMs = performance.now() + patienceMs;
  while (!(await isReached())) {
    if (performance.now() > deadlineMs) throw new Error(`This did not happen in time: ${what}`);
    await sleep(100);
  }
};

/** A key that the gateway has just accepted and so has in its cache. */
const knownKey = async () => {
  const created = await gateway.organization.createKey();
  expect((await ask(created.key)).status).toBe(200);
  return created;
};

/** Rotates a key and returns the new one. */
const rotate = async (keyId: string, overlapMs: number): Promise<string> => {
  const { key, hash } = setupTools(gateway.database).newKey();
  const text = { prefix: key.slice(0, 15), hash };
  const { rotateApiKey } = setupTools(gateway.database);
  await rotateApiKey({ organizationId: gateway.organization.id, keyId, text, overlapMs });
  return key;
};

// `every-operation.test.ts` shows that revoked keys are soon refused.
test('401: a rotated key is refused after its overlap', async () => {
  const { id, key } = await knownKey();
  const successor = await rotate(id, 1);
  await until('the end of an overlap', async () => (await ask(key)).status === 401);
  expect((await ask(successor)).status).toBe(200);
});

describe('200', () => {
  test('accepts a rotated key and its successor during the overlap', async () => {
    const { id, key } = await knownKey();
    for (const one of [await rotate(id, 3_600_000), key]) expect((await ask(one)).status).toBe(200);
  });

  test('new limits of an organization show in the headers', async () => {
    const { key } = await knownKey();
    const { limitOrganization } = setupTools(gateway.database);
    await limitOrganization({ organizationId: gateway.organization.id, limits: { list: 4_321 } });
    const policy = '"org-list"; q=4321; w=60';
    await until(policy, async () => (await ask(key)).headers.get('ratelimit-policy')?.includes(policy) ?? false);
  });

  test('records when a key was last used', async () => {
    const { id } = await knownKey();
    const { listApiKeys } = setupTools(gateway.database);
    const keyOf = async () => (await listApiKeys(gateway.organization.id)).find((row) => row.id === id);
    await until('a note of the last use', async () => ((await keyOf())?.lastUsedAt ?? null) !== null);
  });
});
