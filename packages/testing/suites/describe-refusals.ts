import { describe, expect, test } from '@jest/globals';

import { rateLimitGroup } from './rate-limit-group.js';
import type { SuiteOptions } from './suite-options.js';

/** 405 and 404: methods and paths that are not an operation. */
export const describeWrongMethods = ({ contract, client }: SuiteOptions): void => {
  describe('405', () => {
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
      (method) => method !== contract.method.toUpperCase(),
    );
    test.each(others)('refuses %s and lists the allowed methods', async (method) => {
      const answer = await client().send(method, contract.path);
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')?.split(/, */)).toContain(contract.method.toUpperCase());
    });
  });

  describe('404', () => {
    test('is returned for a path below it, and for its path in upper case', async () => {
      const method = contract.method.toUpperCase();
      expect((await client().send(method, `${contract.path}/x/y`)).status).toBe(404);
      expect((await client().send(method, contract.path.toUpperCase())).status).toBe(404);
    });
  });
};

/** 429: requests of a key, and failed authentications of an address. */
export const describeRateLimits = (options: SuiteOptions): void => {
  const { contract, client, organization, goodRequest } = options;
  const group = rateLimitGroup(contract);

  describe('429', () => {
    test('is returned to a key over its limit, with the limit and the time to retry', async () => {
      const { key } = await organization().createKey({ limits: { [group]: 2 } });
      for (const remaining of [1, 0]) {
        const answer = await client().call(contract, { ...goodRequest(), key });
        expect(answer.status).toBe(200);
        expect(answer.headers.get('ratelimit-policy')).toMatch(/q=2; ?w=60/);
        expect(answer.headers.get('ratelimit')).toMatch(new RegExp(`r=${remaining}; ?t=\\d+`));
      }
      const refused = await client().call(contract, { ...goodRequest(), key });
      expect(refused.status).toBe(429);
      expect(refused.headers.get('ratelimit')).toMatch(/r=0; ?t=\d+/);
      expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
      expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    });

    test('does not affect other keys of the organization', async () => {
      const { key } = await organization().createKey({ limits: { [group]: 1 } });
      for (let i = 0; i < 3; i++) await client().call(contract, { ...goodRequest(), key });
      expect((await client().call(contract, { ...goodRequest(), key })).status).toBe(429);
      expect((await client().call(contract, goodRequest())).status).toBe(200);
    });

    test('refuses further failures past the limit of an address, but never a valid key', async () => {
      const limited = await options.clientWithFailureLimit(2);
      const statuses = [];
      for (let i = 0; i < 4; i++) statuses.push((await limited.call(contract, { ...goodRequest(), key: null })).status);
      expect(statuses).toEqual([401, 401, 429, 429]);
      const refused = await limited.call(contract, { ...goodRequest(), key: 'x' });
      expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
      expect((await limited.call(contract, goodRequest())).status).toBe(200);
    });
  });
};
