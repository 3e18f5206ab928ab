import { describe, expect, test } from '@jest/globals';

import type { SuiteOptions } from './suite-options.js';

const revocationShowsWithinMs = 5_000;
const patienceMs = 10 * revocationShowsWithinMs;

/** 401: every key that does not open the operation gets the same bytes, so that nobody learns which of them exist. */
export const describeUnauthorized = (options: SuiteOptions): void => {
  const { contract, client, organization, goodRequest } = options;
  const answerTo = async (key: string | null, headers?: Record<string, string>) => {
    const answer = await client().call(contract, { ...goodRequest(), key, ...(headers && { headers }) });
    expect(answer.status).toBe(401);
    return answer.comparable;
  };

  describe('401', () => {
    test('a missing, malformed, unknown, revoked, expired and out-of-scope key get byte-identical answers', async () => {
      const owner = organization();
      const missing = await answerTo(null);
      const revoked = await owner.createKey();
      await owner.revokeKey(revoked.id);
      const expired = await owner.createKey({ expiresAt: new Date(Date.now() - 1_000) });
      const groups = ['list', 'search', 'inbound', 'bulk', 'delete'].filter((group) => group !== contract.group);
      const outOfScope = await owner.createKey({ allow: [...groups, 'listEverything'] });
      const allowsNothing = await owner.createKey({ allow: [] });
      const known = (await owner.createKey()).key;
      // Two characters swapped: the form is right and the checksum is not.
      const mistyped = known.replace(/(.)(.)(.{4})$/, (_all, a: string, b: string, rest: string) =>
        a === b ? `${a}x${rest}` : b + a + rest,
      );
      const unknown = owner.newUnknownKey();
      const keys = ['', 'x', mistyped, unknown, revoked.key, expired.key, outOfScope.key, allowsNothing.key];
      for (const key of keys) expect(await answerTo(key)).toBe(missing);
      expect(await answerTo(`${known}, ${known}`)).toBe(missing);
      expect(await answerTo(null, { authorization: `Bearer ${known}` })).toBe(missing);
    });

    test('a bad request with a bad key learns nothing but that the key is bad', async () => {
      const answer = await client().send(contract.method.toUpperCase(), contract.path, {
        key: null,
        query: 'unknown=1',
        ...(contract.body === undefined ? {} : { rawBody: '{', headers: { 'content-type': 'text/plain' } }),
      });
      expect(answer.status).toBe(401);
    });

    test('a key that allows the single operation opens it, whatever the case of the header', async () => {
      const { key } = await organization().createKey({ allow: [contract.id] });
      expect((await client().call(contract, { ...goodRequest(), key })).status).toBe(200);
      const shouted = await client().call(contract, { ...goodRequest(), key: null, headers: { 'X-API-KEY': key } });
      expect(shouted.status).toBe(200);
    });

    test('a key that was in use stops within five seconds of its revocation', async () => {
      const { id, key } = await organization().createKey();
      expect((await client().call(contract, { ...goodRequest(), key })).status).toBe(200);
      await organization().revokeKey(id);
      const revokedAtMs = performance.now();
      let lastAcceptedMs = 0;
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        const sentMs = performance.now() - revokedAtMs;
        const { status } = await client().call(contract, { ...goodRequest(), key });
        if (status === 401) break;
        expect(status).toBe(200);
        lastAcceptedMs = sentMs;
        if (sentMs > patienceMs) throw new Error('a revoked key is still good');
      }
      // A machine that stands still holds up the next request, not the one that was accepted.
      expect(lastAcceptedMs).toBeLessThan(revocationShowsWithinMs);
    });
  });
};
