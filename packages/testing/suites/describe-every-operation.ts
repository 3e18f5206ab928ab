import { type OperationContract, operationGroups } from '@crm/contract';
import {
  type Answer,
  comparableHeaders,
  combiningMarks,
  reportFigure,
  type TestClient,
  type TestOrganization,
  type TestRequest,
  withEachText,
} from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';

/** A gateway and an organization. Its limits are off. */
interface GatewayUnderTest {
  readonly client: TestClient;
  readonly organization: TestOrganization;
}

interface EveryOperationOptions {
  /** Every operation of the gateway, from the contract. */
  readonly contracts: readonly OperationContract[];
  /** Started in `beforeAll`. */
  readonly gateway: () => GatewayUnderTest;
  /** By operation id: a request of the organization that is answered 200 every time, also with the same key. */
  readonly goodRequests: Readonly<Record<string, () => TestRequest>>;
}

/** One operation and how to call it. */
interface Subject {
  readonly id: string;
  readonly contract: OperationContract;
  /** Sends the good request with some parts replaced. */
  readonly call: (changes?: TestRequest) => Promise<Answer>;
  readonly head: (changes?: TestRequest) => ReturnType<TestClient['head']>;
}

const unknownId = '01890000-0000-7000-8000-000000000000';
const defaultMaxBodyBytes = 256 * 1024;
const revocationShowsWithinMs = 5_000;

const subjectsOf = ({ contracts, gateway, goodRequests }: EveryOperationOptions): readonly Subject[] =>
  contracts.map((contract) => {
    const requestWith = (changes: TestRequest): TestRequest => ({ ...goodRequests[contract.id]?.(), ...changes });
    return {
      id: contract.id,
      contract,
      call: (changes = {}) => gateway().client.call(contract, requestWith(changes)),
      head: (changes = {}) => gateway().client.head(contract, requestWith(changes)),
    };
  });

/** A key that the gateway has in its cache, and that is then revoked. @returns it, and how long it was still accepted */
const revokeKnownKey = async ({ organization }: GatewayUnderTest, { call }: Subject) => {
  const { id, key } = await organization.createKey();
  expect((await call({ key })).status).toBe(200);
  await organization.revokeKey(id);
  const revokedAtMs = performance.now();
  let lastAcceptedMs = 0;
  for (;;) {
    const sentAfterMs = performance.now() - revokedAtMs;
    if ((await call({ key })).status === 401) return { key, lastAcceptedMs };
    // The time is from before the request, so that a stall of the machine does not count.
    lastAcceptedMs = sentAfterMs;
    if (sentAfterMs > 10 * revocationShowsWithinMs) throw new Error('a revoked key is still good');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

/** R8: every key without the right to the operation gets the same bytes, so that no caller can find out which keys exist. */
const describeUnauthorized = (subjects: readonly Subject[], gateway: () => GatewayUnderTest): void => {
  describe('401', () => {
    const badKeys = new Map<string, string | null>();
    let lastAcceptedMs = 0;

    beforeAll(async () => {
      const { organization } = gateway();
      const [first] = subjects;
      if (first === undefined) throw new Error('the contract has no operation');
      const revoked = await revokeKnownKey(gateway(), first);
      lastAcceptedMs = revoked.lastAcceptedMs;
      // The last characters are a checksum.
      const mistyped = organization.key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
      const expired = await organization.createKey({ expiresAt: new Date(Date.now() - 1_000) });
      badKeys.set('missing', null);
      badKeys.set('mistyped', mistyped);
      badKeys.set('unknown', organization.newUnknownKey());
      badKeys.set('revoked', revoked.key);
      badKeys.set('expired', expired.key);
      for (const group of operationGroups) {
        const allow = [...operationGroups.filter((other) => other !== group), 'listEverything'];
        badKeys.set(`not for ${group}`, (await organization.createKey({ allow })).key);
      }
    });

    test('R8: a revoked key is refused within five seconds, though it was just used', () => {
      reportFigure('R8', 'a revoked key was last accepted after, ms', Math.round(lastAcceptedMs), '< 5000');
      expect(lastAcceptedMs).toBeLessThan(revocationShowsWithinMs);
    });

    test.each(subjects)('R8: $id answers every key without the right to it with the same bytes', async (subject) => {
      const answers = new Set<string>();
      for (const kind of [
        'missing',
        'mistyped',
        'unknown',
        'revoked',
        'expired',
        `not for ${subject.contract.group}`,
      ]) {
        answers.add((await subject.call({ key: badKeys.get(kind) ?? null })).comparable);
      }
      // The key is checked before anything else.
      const body =
        subject.contract.body === undefined ? {} : { rawBody: '{', headers: { 'content-type': 'text/plain' } };
      answers.add((await subject.call({ key: null, query: 'unknown=1', ...body })).comparable);
      expect([...answers]).toEqual([expect.stringMatching(/^\[401,/)]);
    });
  });
};

/** The group of a key's limit for an operation. Deletions, changes of the setup and webhooks count as other reads or writes. */
const limitGroupOf = ({ group, gateway }: OperationContract): string => {
  if (group === 'webhooks' && gateway === 'read') return 'list';
  return group === 'delete' || group === 'setup' || group === 'webhooks' ? 'inbound' : group;
};

/** 200 and 429: a key for this one operation, up to its limit and beyond. HEAD is answered and counted like GET. */
const describeLimits = (subjects: readonly Subject[], gateway: () => GatewayUnderTest): void => {
  describe('200 and 429', () => {
    test.each(subjects)('$id counts the requests of a key that allows only $id', async ({ contract, call, head }) => {
      const { key } = await gateway().organization.createKey({
        allow: [contract.id],
        limits: { [limitGroupOf(contract)]: 2 },
      });
      const first = await call({ key });
      expect(first.status).toBe(200);
      expect(first.headers.get('ratelimit-policy')).toMatch(/q=2; ?w=60/);
      expect(first.headers.get('ratelimit')).toMatch(/r=1; ?t=\d+/);
      const second = contract.method === 'get' ? await head({ key }) : await call({ key });
      expect(second.status).toBe(200);
      expect(second.headers.get('ratelimit')).toMatch(/r=0; ?t=\d+/);
      if (contract.method === 'get')
        expect(comparableHeaders(second.headers)).toEqual(comparableHeaders(first.headers));
      const refused = await call({ key });
      expect(refused.status).toBe(429);
      expect(refused.headers.get('ratelimit')).toMatch(/r=0; ?t=\d+/);
      expect(refused.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/);
      // Another key of the organization has its own count.
      expect((await call()).status).toBe(200);
    });
  });
};

/** 400, 413 and 415: faults that are found before the operation runs. The parser has its own tests in `packages/http`. */
const describeBadRequests = (
  subjects: readonly Subject[],
  goodRequests: EveryOperationOptions['goodRequests'],
): void => {
  describe('400, 413 and 415', () => {
    test.each(subjects)('$id names an unknown query parameter', async ({ call }) => {
      const answer = await call({ query: 'dry_run=1' });
      expect([answer.status, answer.fieldsAtFault]).toEqual([400, expect.arrayContaining(['dry_run'])]);
    });

    const withBody = subjects.filter(({ contract }) => contract.body !== undefined);
    test.each(withBody)('$id refuses a body that is not its JSON object', async ({ id, contract, call }) => {
      const body = goodRequests[id]?.().body as Readonly<Record<string, unknown>>;
      const text = JSON.stringify(body);
      const [name = ''] = Object.keys(body);
      for (const [rawBody, fields] of [
        ['', ['body']],
        ['[]', ['body']],
        [`${text.slice(0, -1)},"${name}":null}`, [name]],
        [`${text.slice(0, -1)},"unknown":1}`, ['unknown']],
      ] as const) {
        const answer = await call({ rawBody });
        expect([rawBody, answer.status, answer.fieldsAtFault]).toEqual([rawBody, 400, fields]);
      }
      const maxBytes = contract.maxBodyBytes ?? defaultMaxBodyBytes;
      expect((await call({ rawBody: text + ' '.repeat(maxBytes + 1 - Buffer.byteLength(text)) })).status).toBe(413);
      expect((await call({ headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    });

    test.each(withBody.filter(({ contract }) => contract.item === undefined))(
      'R9: $id refuses 31 combining marks in a row in any of its texts',
      async ({ id, call }) => {
        for (const body of withEachText(goodRequests[id]?.().body, combiningMarks(31))) {
          expect((await call({ body })).status).toBe(400);
        }
      },
    );
  });
};

/** 405: methods that no operation has. */
const describeWrongMethods = (subjects: readonly Subject[], gateway: () => GatewayUnderTest): void => {
  describe('405', () => {
    const contracts = subjects.map(({ contract }) => contract);
    test.each([...new Set(contracts.map(({ path }) => path))])(
      '%s refuses other methods and lists its own',
      async (path) => {
        const own = contracts.filter((one) => one.path === path).map(({ method }) => method.toUpperCase());
        const allowed = [...own, ...(own.includes('GET') ? ['HEAD'] : [])].sort();
        const concrete = path.replace(/\{\w+\}/, unknownId);
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !own.includes(one))) {
          const answer = await gateway().client.send(method, concrete);
          expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, allowed.join(', ')]);
        }
      },
    );
  });
};

/**
 * The answers that all operations of a gateway have in common: keys, limits, methods and unreadable requests.
 * A new operation is covered as soon as it is in the contract, and fails without a request that is answered 200.
 */
export const describeEveryOperation = (options: EveryOperationOptions): void => {
  const { gateway, goodRequests } = options;
  const subjects = subjectsOf(options);

  describeUnauthorized(subjects, gateway);
  describeLimits(subjects, gateway);
  describeBadRequests(subjects, goodRequests);
  describeWrongMethods(subjects, gateway);
};
