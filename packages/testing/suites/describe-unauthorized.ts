import type { OperationContract } from '@crm/contract';
import { describe, expect, test } from '@jest/globals';

import type { TestRequest } from '@crm/testing';
import type { SuiteOptions } from './suite-options.js';

const revocationShowsWithinMs = 5_000;
const patienceMs = 10 * revocationShowsWithinMs;

type UnauthorizedOptions = Pick<SuiteOptions, 'client' | 'organization'> & {
  /** All operations of the gateway, from the contract. */
  readonly contracts: readonly OperationContract[];
};

/**
 * 401, for every operation of a gateway: every key without the right to the operation gets the same bytes, so that
 * callers cannot find out which keys exist. The key is checked first, so requests may name a record that does not
 * exist.
 */
export const describeUnauthorized = ({ contracts, ...options }: UnauthorizedOptions): void => {
  test('the contract has operations', () => expect(contracts.length).toBeGreaterThan(10));

  for (const contract of contracts) describe(contract.id, () => describeOperation(contract, options));
};

/** Sends requests to one operation with any key. */
const callersOf = (contract: OperationContract, { client }: Omit<UnauthorizedOptions, 'contracts'>) => {
  const path = contract.path.replaceAll(/\{\w+\}/g, '01890000-0000-7000-8000-000000000000');
  const send = (request: TestRequest) => client().send(contract.method.toUpperCase(), path, request);
  return {
    send,
    /** The answer to a bad key. */
    answerTo: async (key: string | null, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
      const answer = await send({ key, headers });
      expect(answer.status).toBe(401);
      return answer.comparable;
    },
    /** Whether a key passes the check; the request itself may still be refused. */
    opens: async (request: TestRequest): Promise<boolean> => {
      const { status } = await send(request);
      expect([200, 400, 401, 404]).toContain(status);
      return status !== 401;
    },
  };
};

const describeOperation = (contract: OperationContract, options: Omit<UnauthorizedOptions, 'contracts'>): void => {
  const { organization } = options;
  const { send, answerTo, opens } = callersOf(contract, options);

  describe('R8, 401', () => {
    test('answers missing, malformed, unknown, revoked, expired and out-of-scope keys with the same bytes', async () => {
      const owner = organization();
      const missing = await answerTo(null);
      const revoked = await owner.createKey();
      await owner.revokeKey(revoked.id);
      const expired = await owner.createKey({ expiresAt: new Date(Date.now() - 1_000) });
      const groups = ['list', 'search', 'inbound', 'bulk', 'delete', 'setup'].filter(
        (group) => group !== contract.group,
      );
      const outOfScope = await owner.createKey({ allow: [...groups, 'listEverything'] });
      const allowsNothing = await owner.createKey({ allow: [] });
      const known = (await owner.createKey()).key;
      // Two characters swapped: the form is right, but the checksum is wrong.
      const mistyped = known.replace(/(.)(.)(.{4})$/, (_all, a: string, b: string, rest: string) =>
        a === b ? `${a}x${rest}` : b + a + rest,
      );
      const unknown = owner.newUnknownKey();
      const keys = ['', 'x', mistyped, unknown, revoked.key, expired.key, outOfScope.key, allowsNothing.key];
      for (const key of keys) expect(await answerTo(key)).toBe(missing);
      expect(await answerTo(`${known}, ${known}`)).toBe(missing);
      expect(await answerTo(null, { authorization: `Bearer ${known}` })).toBe(missing);
    });

    test('says nothing about a bad request if the key is bad', async () => {
      const answer = await send({
        key: null,
        query: 'unknown=1',
        ...(contract.body === undefined ? {} : { rawBody: '{', headers: { 'content-type': 'text/plain' } }),
      });
      expect(answer.status).toBe(401);
    });

    test('is not returned for a key that allows the single operation, in any case of the header name', async () => {
      const { key } = await organization().createKey({ allow: [contract.id] });
      expect(await opens({ key })).toBe(true);
      expect(await opens({ key: null, headers: { 'X-API-KEY': key } })).toBe(true);
    });

    test('is returned for a key within five seconds of its revocation', async () => {
      const { id, key } = await organization().createKey();
      expect(await opens({ key })).toBe(true);
      await organization().revokeKey(id);
      const revokedAtMs = performance.now();
      let lastAcceptedMs = 0;
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        const sentMs = performance.now() - revokedAtMs;
        if (!(await opens({ key }))) break;
        lastAcceptedMs = sentMs;
        if (sentMs > patienceMs) throw new Error('a revoked key is still good');
      }
      // The time is from before the last accepted request, so that a stall of the machine does not count.
      expect(lastAcceptedMs).toBeLessThan(revocationShowsWithinMs);
    });
  });
};
