import { listPipelines } from '@crm/contract';
import { setupTools } from '@crm/testing/suites';
import { type Answer, until } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';

const gateway = useGateway(startTestGateway);

const ask = (key: string): Promise<Answer> => gateway.client.call(listPipelines, { key });

/** Between two requests. */
const pauseMs = 100;

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
  await until(async () => (await ask(key)).status === 401, pauseMs);
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
    await until(async () => (await ask(key)).headers.get('ratelimit-policy')?.includes(policy) ?? false, pauseMs);
  });

  test('records when a key was last used', async () => {
    const { id } = await knownKey();
    const { listApiKeys } = setupTools(gateway.database);
    const keyOf = async () => (await listApiKeys(gateway.organization.id)).find((row) => row.id === id);
    await until(async () => ((await keyOf())?.lastUsedAt ?? null) !== null, pauseMs);
  });
});
