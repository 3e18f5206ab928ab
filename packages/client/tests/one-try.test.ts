import { getEventListeners } from 'node:events';
import { afterEach, expect, test } from '@jest/globals';
import { type ClientOptions, createClient } from '../src/index.js';
import { type Reply, startStubApi, type StubApi, success } from './support/stub-api.js';

let api: StubApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

const emptyPage: Reply = success({ accounts: [], has_more: false, next_cursor: null, limit: 100 });
const start = async (options: Partial<ClientOptions> = {}) => {
  api = await startStubApi([emptyPage]);
  return createClient({ url: api.url, apiKey: 'crm_live_test', ...options });
};

test.each([Infinity, 100 * 86_400_000])(
  'a limit of %d ms is none, and not one that is over at once',
  async (timeoutMs) => {
    const crm = await start({ timeoutMs });
    await expect(crm.accounts.list().page()).resolves.toMatchObject({ message: 'OK' });
  },
);

test.each([0, -1, Number.NaN])('a limit of %d ms is refused', async (timeoutMs) => {
  const crm = await start();
  await expect(crm.accounts.list({}, { timeoutMs }).page()).rejects.toThrow('timeoutMs must be more than 0');
  expect(() => createClient({ url: 'http://localhost', apiKey: 'crm_live_test', timeoutMs })).toThrow(TypeError);
});

test('fetch is looked up at each call, asks for no cached answer, and leaves nothing on the signal of the caller', async () => {
  const { url } = (api = await startStubApi([emptyPage]));
  const { signal } = new AbortController();
  const seen: unknown[] = [];
  const options: { fetch?: typeof fetch } = {};
  const crm = createClient(Object.assign(options, { url, apiKey: 'crm_live_test' }));
  options.fetch = (input, init) => {
    seen.push((init as { cache?: unknown }).cache, getEventListeners(signal, 'abort').length);
    return fetch(input, init);
  };
  await crm.accounts.list({}, { signal }).page();
  expect(seen).toEqual(['no-store', 1]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
