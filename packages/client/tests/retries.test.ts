import { until } from '@crm/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  type ClientOptions,
  CrmApiError,
  CrmConnectionError,
  CrmConflictError,
  createClient,
  CrmIdempotencyError,
  CrmRateLimitError,
  CrmUnavailableError,
  type ResponseInfo,
} from '../src/index.js';
import { failure, hangUp, json, type Reply, silence, startStubApi, type StubApi, success } from './support/stub-api.js';

let api: StubApi | undefined;
afterEach(() => api?.close());

const id = '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4';
const emptyPage = success({
  accounts: [],
  custom_field_definitions: {},
  has_more: false,
  next_cursor: null,
  limit: 100,
});
const created = success({ company_id: id, domain: 'acme.com', name: 'Acme' });

const start = async (replies: readonly Reply[], options: Partial<ClientOptions> = {}) => {
  api = await startStubApi(replies);
  const { requests, url } = api;
  return { requests, url, crm: createClient({ url, apiKey: 'crm_live_test', ...options }) };
};

test.each(['constructor', '__proto__', 'unknown'])('an unknown code, %s, has the class of its status', async (code) => {
  const { crm } = await start([failure(409, {}, code)]);
  await expect(crm.accounts.delete(id)).rejects.toBeInstanceOf(CrmConflictError);
});

test('a list ends with an error if the API answers with the cursor that was sent', async () => {
  const page = { accounts: [], custom_field_definitions: {}, has_more: true, next_cursor: 'same', limit: 100 };
  const { crm, requests } = await start([success(page)]);
  const walk = async (): Promise<void> => {
    for await (const account of crm.accounts.list()) throw new Error(`no account was expected: ${account.id}`);
  };
  await expect(walk()).rejects.toThrow('the cursor that was sent');
  expect(requests).toHaveLength(2);
});

test.each<readonly [string, object, number]>([
  ['the same page again', {}, 2],
  ['no events, but more of them', { events: [], next_position: 4 }, 1],
  ['an earlier position', { events: [], next_position: 3, has_more: false }, 1],
  ['no position', { next_position: undefined }, 1],
  ['a position that is no number', { next_position: null }, 1],
])('a stream of events ends with an error if the position does not advance: %s', async (_what, changes, expected) => {
  const page = { events: [{}], next_position: 5, last_position: 9, oldest_position: 1, has_more: true, log_id: 'log' };
  const { crm, requests } = await start([success({ ...page, ...changes })]);
  const read = async (): Promise<number> => {
    let count = 0;
    for await (const event of crm.events.iterate({ after: 4 })) count += Object.keys(event).length + 1;
    return count;
  };
  await expect(read()).rejects.toThrow('The page of events does not advance: its next_position is');
  expect(requests).toHaveLength(expected);
});

describe('a request is retried', () => {
  test('after 429 and 503 with Retry-After, for every operation', async () => {
    const wait = { 'retry-after': '0' };
    const { crm, requests } = await start([failure(429, wait), failure(503, wait), success({ id })]);
    await crm.accounts.delete(id);
    expect(requests.map(({ line }) => line)).toEqual(Array(3).fill(`DELETE /v1/inbound/accounts/${id}`));
  });

  test('no sooner than Retry-After says', async () => {
    const { crm, requests } = await start([failure(429, { 'retry-after': '1' }), emptyPage]);
    const startedAtMs = performance.now();
    await crm.accounts.list().page();
    expect(requests).toHaveLength(2);
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(990);
  });

  test.each([500, 504])('after %i with and without Retry-After, for a read', async (status) => {
    const { crm, requests } = await start([failure(status), failure(status, { 'retry-after': '0' }), emptyPage]);
    await crm.accounts.list().page();
    expect(requests).toHaveLength(3);
  });

  test('after a timeout, until its first try has answered, which does not count as a retry', async () => {
    const inFlight = failure(409, { 'retry-after': '0' }, 'idempotency_in_flight');
    const { crm, requests } = await start([silence, inFlight, inFlight, inFlight, created], {
      timeoutMs: 200,
      maxRetries: 1,
    });
    expect((await crm.accounts.create({ domain: 'acme.com' })).data).toMatchObject({ domain: 'acme.com' });
    expect(requests).toHaveLength(5);
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  test('after a broken connection or 502, for a create with the same idempotency key', async () => {
    const { crm, requests } = await start([hangUp, failure(502), created]);
    await crm.accounts.create({ domain: 'acme.com' });
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('after a timeout, for a search', async () => {
    const { crm, requests } = await start([silence, emptyPage], { timeoutMs: 200 });
    await crm.accounts.search({ query: 'acme' }).page();
    expect(requests.map(({ body }) => body)).toEqual(Array(2).fill('{"query":"acme"}'));
  });
});

describe('a request is not retried', () => {
  test('after 503 without Retry-After or 500, for an update or a deletion, which may have happened', async () => {
    const { crm, requests } = await start([failure(503), failure(500, { 'retry-after': '0' })]);
    await expect(crm.accounts.update(id, { name: 'A' })).rejects.toThrow(CrmUnavailableError);
    await expect(crm.accounts.delete(id)).rejects.toMatchObject({ status: 500, code: 'unexpected_answer' });
    expect(requests).toHaveLength(2);
  });

  test('after a conflict, or a statement that took too long, because it would again', async () => {
    const { crm, requests } = await start([failure(409, {}, 'conflict'), failure(503, {}, 'timeout')]);
    await expect(crm.accounts.create({ domain: 'acme.com' })).rejects.toThrow(CrmConflictError);
    await expect(crm.accounts.list().page()).rejects.toMatchObject({ status: 503, code: 'timeout' });
    expect(requests).toHaveLength(2);
  });

  test('if retries are turned off, even while its first try is running', async () => {
    const { crm, requests } = await start([failure(409, { 'retry-after': '0' }, 'idempotency_in_flight')], {
      maxRetries: 0,
    });
    await expect(crm.accounts.create({ domain: 'acme.com' })).rejects.toThrow(CrmIdempotencyError);
    expect(requests).toHaveLength(1);
  });

  test('after a broken connection, for an update, a deletion or a setup, which may have happened', async () => {
    const { crm, requests } = await start([hangUp]);
    await expect(crm.members.create({ email: 'a@b.example', name: 'A' })).rejects.toThrow(CrmConnectionError);
    await expect(crm.accounts.update(id, { name: 'Acme' })).rejects.toThrow(CrmConnectionError);
    await expect(crm.accounts.delete(id)).rejects.toThrow('cannot be reached');
    expect(requests).toHaveLength(3);
  });

  test('after a broken connection, for a create without an idempotency key', async () => {
    const { crm, requests } = await start([hangUp]);
    await expect(crm.notes.create({ note: { title: 'Call' } }, { idempotencyKey: null })).rejects.toThrow(
      CrmConnectionError,
    );
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers).not.toHaveProperty('idempotency-key');
  });

  test('more often than allowed', async () => {
    const { crm, requests } = await start([failure(429, { 'retry-after': '0' })], {});
    const error = await crm.accounts
      .list()
      .page()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CrmRateLimitError);
    expect(error).toMatchObject({ retryAfterMs: 0 });
    expect(requests).toHaveLength(3);
  });

  test('after a Retry-After that is too long, in seconds or as a date', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toUTCString();
    const { crm, requests } = await start([
      failure(429, { 'retry-after': '3600' }),
      failure(503, { 'retry-after': tomorrow }),
    ]);
    await expect(crm.accounts.list().page()).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
    const { retryAfterMs } = (await crm.accounts
      .list()
      .page()
      .catch((error: unknown) => error)) as CrmApiError;
    expect(retryAfterMs).toBeGreaterThan(86_000_000);
    expect(requests).toHaveLength(2);
  });
});

describe('a signal ends a call', () => {
  test('before it is sent, while it is running, and while it waits for a retry', async () => {
    const answers: (number | null)[] = [];
    const { crm, requests } = await start([silence, failure(429, { 'retry-after': '60' })], {
      onResponse: ({ status }) => void answers.push(status),
    });
    const reason = new Error('enough');
    await expect(crm.accounts.list({}, { signal: AbortSignal.abort(reason) }).page()).rejects.toBe(reason);
    expect(requests).toHaveLength(0);
    for (const hasBegun of [() => requests.length === 1, () => answers.includes(429)]) {
      const aborter = new AbortController();
      const ended = expect(crm.accounts.list({}, { signal: aborter.signal }).page()).rejects.toBe(reason);
      await until(hasBegun, 5);
      aborter.abort(reason);
      await ended;
    }
    expect(requests).toHaveLength(2);
  });
});

describe('a call', () => {
  test('sends the key in its header, lists as repeated parameters, the read token and the version', async () => {
    const { crm, requests } = await start([emptyPage, success({})]);
    await crm.accounts.list({ q: 'a&b', fields: ['industry', 'custom__tier'] }, { readAfter: 'mark' }).page();
    await crm.accounts.update(id, { name: null }, { ifVersion: 3 });
    expect(requests[0]).toMatchObject({
      line: 'GET /v1/accounts?q=a%26b&fields=industry&fields=custom__tier',
      headers: { 'x-api-key': 'crm_live_test', 'x-read-after': 'mark' },
    });
    expect(requests[1]).toMatchObject({ body: '{"name":null}', headers: { 'if-match': '"3"' } });
    expect(requests[1]?.headers).not.toHaveProperty('idempotency-key');
  });

  test.each([
    ['"3.9f86d081884c7d659a2f"', 3],
    ['W/"3.9f86d081884c7d659a2f"', 3],
    ['"3.9f86d081884c7d659a2f-gzip"', 3],
    ['"3"', 3],
    ['"9f86d081884c7d659a2f"', null],
  ])('reads the version from the tag %s', async (etag, version) => {
    const { crm } = await start([json(200, { success: true, message: 'OK', data: {} }, { etag })]);
    expect((await crm.accounts.get(id)).version).toBe(version);
  });

  test('follows no redirect', async () => {
    const { crm, requests } = await start([json(307, {}, { location: '/elsewhere' }), emptyPage]);
    await expect(crm.accounts.list().page()).rejects.toMatchObject({ status: 307, code: 'unexpected_answer' });
    expect(requests).toHaveLength(1);
  });

  test.each([200, 404, 502])('gets a clear error for an HTML page with status %i', async (status) => {
    const { crm, url } = await start([(response) => response.writeHead(status).end('<html>Bad gateway</html>')]);
    const error = await crm.accounts.get(id).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CrmApiError);
    const { host } = new URL(url);
    const message = `${host} answered ${status} with an HTML page instead of JSON: is it the address of a gateway?`;
    expect(error).toMatchObject({ status, code: 'unexpected_answer', message, requestId: null, errors: {} });
  });

  test('cannot be made with invalid options', () => {
    expect(() => createClient({ readUrl: 'crm.example.com', apiKey: 'k' })).toThrow('readUrl must be an address');
    expect(() => createClient({ readUrl: 'http://a', inboundUrl: 'ftp://b', apiKey: 'k' })).toThrow('inboundUrl');
    expect(() => createClient({ url: 'http://a', apiKey: '' })).toThrow('apiKey');
    expect(() => createClient({ apiKey: 'k' })).toThrow('url is missing');
  });

  test('refuses a call of a gateway whose address it does not have', async () => {
    const { requests, url } = await start([emptyPage]);
    const text = (name: string): string => `set ${name}, or url for a proxy in front of both gateways`;
    const reader = createClient({ readUrl: url, apiKey: 'k' });
    await expect(reader.accounts.create({ domain: 'acme.com' })).rejects.toThrow(text('inboundUrl'));
    const writer = createClient({ inboundUrl: url, apiKey: 'k' });
    await expect(writer.accounts.list().page()).rejects.toThrow(text('readUrl'));
    expect(requests).toHaveLength(0);
  });
});

describe('hooks', () => {
  test('see every try, may add headers, and never see the key', async () => {
    const seen: ResponseInfo[] = [];
    const { crm, requests, url } = await start([failure(503), hangUp, emptyPage], {
      onRequest: ({ headers, attempt }) => headers.set('traceparent', `try ${attempt}`),
      onResponse: (response) => void seen.push(response),
    });
    await crm.accounts.list().page();
    expect(requests.map(({ headers }) => headers['traceparent'])).toEqual(['try 1', 'try 2', 'try 3']);
    expect(seen.map(({ status, request }) => [status, request.method, request.url, request.attempt])).toEqual(
      [503, null, 200].map((status, n) => [status, 'GET', `${url}/v1/accounts`, n + 1]),
    );
    expect(seen.every(({ durationMs }) => durationMs >= 0)).toBe(true);
    expect(JSON.stringify(seen.map(({ request }) => [...request.headers]))).not.toContain('crm_live_test');
  });

  test('end the call with the error that they throw', async () => {
    const refused = new Error('no');
    const { crm, requests } = await start([emptyPage], { onRequest: () => Promise.reject(refused) });
    await expect(crm.accounts.list().page()).rejects.toBe(refused);
    expect(requests).toHaveLength(0);
  });
});
