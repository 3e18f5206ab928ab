import { describe, expect, test } from '@jest/globals';

import { comparableHeaders } from '@crm/testing';
import { rateLimitGroup } from './rate-limit-group.js';
import type { SuiteOptions } from './suite-options.js';

/** `HEAD` on the paths of `GET`: the same status and headers, no body, counted as the same request. */
export const describeHead = ({ contract, client, organization, goodRequest }: SuiteOptions): void => {
  describe('HEAD', () => {
    test.each([
      ['200', {}],
      ['400', { query: 'unknown=1' }],
      ['401', { key: null }],
    ])('answers %s like GET, without the body', async (_status, changes) => {
      const request = { ...goodRequest(), ...changes };
      const get = await client().call(contract, request);
      const head = await client().head(contract, request);
      expect(head.status).toBe(get.status);
      expect(comparableHeaders(head.headers)).toEqual(comparableHeaders(get.headers));
      expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
      expect(await head.text()).toBe('');
    });

    test('counts like GET for the rate limit of the key', async () => {
      const { key } = await organization().createKey({ limits: { [rateLimitGroup(contract)]: 2 } });
      const request = { ...goodRequest(), key };
      expect((await client().head(contract, request)).status).toBe(200);
      const get = await client().call(contract, request);
      expect(get.headers.get('ratelimit')).toMatch(/r=0;/);
      expect((await client().head(contract, request)).status).toBe(429);
    });
  });
};
