import {
  bulkCreateAccounts,
  bulkCreateContacts,
  bulkUpdateAccounts,
  bulkUpdateContacts,
  createAccount,
  createContact,
  createOpportunity,
  type OperationContract,
  updateContact,
} from '@crm/contract';
import { type Answer, reportFigure, type TestClient } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { countDeadlocks } from './support/deadlocks.js';
import { expectConsistent } from './support/expect-consistent.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

let gateway: TestGateway;
let processes: TestClient[];
let errors = 0;

beforeAll(async () => {
  gateway = await startTestGateway();
  processes = await gateway.startProcesses(2);
  await Promise.all(processes.map((client) => client.call(createAccount, { body: { domain: 'warm-up.com' } })));
});
afterAll(async () => {
  await expectConsistent(gateway);
  await gateway.stop();
});

type Item = Readonly<Record<string, unknown>>;
type Call = (client: TestClient) => Promise<Answer>;

const bulk =
  (contract: OperationContract, items: readonly Item[], query: Readonly<Record<string, string>> = {}): Call =>
  (client) =>
    client.call(contract, { body: { items }, query });

/** Sends all calls at once, spread over both processes. Every call and every item must succeed. */
const race = async (calls: readonly Call[]): Promise<void> => {
  const answers = await Promise.all(
    calls.map((call, index) => call(processes[index % processes.length] ?? gateway.client)),
  );
  const failed = answers.filter(({ status, text }) => status !== 200 || text.includes('"success":false'));
  errors += failed.length;
  expect(failed.map(({ status, text }) => `${status} ${text.slice(0, 300)}`)).toEqual([]);
};

const idsOf = async (table: string, condition: string, value: string): Promise<string[]> => {
  const text = `SELECT id FROM ${table} WHERE organization_id = $1 AND ${condition} ORDER BY md5(id::text)`;
  return (await gateway.rows<{ id: string }>(text, [value])).map(({ id }) => id);
};

const count = 100;
const numbers = Array.from({ length: count }, (_, index) => index);
const streams = [0, 1, 2, 3];
/** The same items in a different order for each stream. */
const rotated = <T>(items: readonly T[], by: number): T[] => [...items.slice(by * 25), ...items.slice(0, by * 25)];

describe('R2: no deadlock between bulk calls, four at a time', () => {
  test('creating different contacts of shared accounts, then changing a field other than the name', async () => {
    const items = (stream: number, more: Item): Item[] =>
      numbers.map((n) => ({ email: `p${n}@disjoint-${(n + stream) % 7}-of-${stream}.com`, ...more }));
    await race(streams.map((stream) => bulk(bulkCreateContacts, items(stream, {}))));
    const job = { job_title: 'Buyer' };
    await race(streams.map((stream) => bulk(bulkCreateContacts, items(stream, job), { on_match: 'update' })));
    await race(
      streams.map((stream) => bulk(bulkCreateContacts, items(stream, { first_name: 'Ann', last_name: 'Lee' }))),
    );
  });

  test('creating the same contacts in different orders, filling in their names, then renaming them', async () => {
    const items = (more: Item): Item[] => numbers.map((n) => ({ email: `p${n}@shared-${n % 9}.com`, ...more }));
    await race(streams.map((by) => bulk(bulkCreateContacts, rotated(items({}), by))));
    await race(streams.map((by) => bulk(bulkCreateContacts, rotated(items({ first_name: 'Ann' }), by))));
    const renamed = (by: number) => rotated(items({ first_name: `Name ${by}`, phone: `+1 555 000${by}` }), by);
    await race(streams.map((by) => bulk(bulkCreateContacts, renamed(by), { on_match: 'update' })));
  });

  test('creating and changing the same accounts in different orders', async () => {
    const items = (more: Item): Item[] => numbers.map((n) => ({ domain: `account-${n}.com`, ...more }));
    await race(streams.map((by) => bulk(bulkCreateAccounts, rotated(items({}), by))));
    const renamed = (by: number) => rotated(items({ name: `Name ${by}`, industry: `Industry ${by}` }), by);
    await race(streams.map((by) => bulk(bulkCreateAccounts, renamed(by), { on_match: 'update' })));
  });

  test('updating the same contacts and accounts by id, including names, emails and domains', async () => {
    const contacts = (await idsOf('contacts', `email LIKE 'p%@' || $2`, 'shared-1.com')).slice(0, 11);
    const accounts = (await idsOf('accounts', `domain LIKE $2`, 'account-%')).slice(0, 50);
    const moved = contacts.map((id, n) => ({ id, email: `moved${n}@account-${n}.com` }));
    await race([
      ...streams.map((by) =>
        bulk(
          bulkUpdateContacts,
          rotated(
            contacts.map((id) => ({ id, last_name: `L${by}` })),
            by,
          ),
        ),
      ),
      ...streams.map((by) =>
        bulk(
          bulkUpdateAccounts,
          rotated(
            accounts.map((id) => ({ id, name: `N${by}` })),
            by,
          ),
        ),
      ),
      bulk(bulkUpdateContacts, moved),
      bulk(
        bulkUpdateAccounts,
        accounts.map((id, n) => ({ id, domain: `moved-account-${n}.com` })),
      ),
    ]);
  });

  test('running next to single creates of opportunities and contacts and single changes of contacts', async () => {
    const emails = numbers.slice(0, 30).map((n) => `p${n}@busy-${n % 5}.com`);
    const pipeline = gateway.organization.pipeline.id;
    const deal =
      (n: number): Call =>
      (client) =>
        client.call(createOpportunity, {
          body: {
            pipeline_id: pipeline,
            opportunity: { name: `Deal ${n % 20}` },
            related_objects: {
              account_domain: `busy-${n % 5}.com`,
              primary_contact_email: emails[n % 30],
              additional_contact_emails: [emails[(n * 7) % 30], `other${n}@busy-${(n + 1) % 5}.com`],
            },
          },
        });
    await race(numbers.slice(0, 30).map(deal));
    const [ann = ''] = await idsOf('contacts', 'email = $2', emails[0] ?? '');
    const patch =
      (n: number): Call =>
      (client) =>
        client.call(updateContact, { params: { id: ann }, body: { first_name: `Ann ${n}` } });
    const single =
      (n: number): Call =>
      (client) =>
        client.call(createContact, { body: { email: emails[n % 30], last_name: 'Lee' } });
    const items = (by: number) =>
      rotated(
        emails.map((email) => ({ email, first_name: `Name ${by}` })),
        by,
      );
    await race([
      ...streams.map((by) => bulk(bulkCreateContacts, items(by), { on_match: 'update' })),
      ...numbers.slice(0, 40).flatMap((n) => [deal(n), ...(n % 4 === 0 ? [patch(n), single(n)] : [])]),
      ...streams.map((by) =>
        bulk(bulkCreateAccounts, [{ domain: `busy-${by}.com`, name: `Busy ${by}` }], { on_match: 'update' }),
      ),
    ]);
  });

  // Runs last, because it ends the connections of all gateways.
  test('the server counted no deadlock in all these calls', async () => {
    const deadlocks = await countDeadlocks(gateway);
    reportFigure('R2', 'errors of bulk calls beside others', errors, 0);
    reportFigure('R2', 'deadlocks of bulk calls beside others', deadlocks, 0);
    expect(deadlocks).toBe(0);
  });
});
