import * as api from '@crm/contract';
import type { OperationContract } from '@crm/contract';
import type { Answer } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Call, type Races, rotated, startRaces } from './support/races.js';
import { untilWritesWait } from './support/until-a-write-waits.js';

let races: Races;

beforeAll(async () => {
  races = await startRaces();
});
afterAll(() => races.gateway.stop());

const numbers = Array.from({ length: 100 }, (_, index) => index);
const streams = [0, 1, 2, 3];
const upsert = { on_match: 'update' };

/** One bulk call of each stream. Each has the items in another order. */
const bulks = (
  contract: OperationContract,
  itemsOf: (stream: number) => readonly object[],
  query: Readonly<Record<string, string>> = {},
): Call[] => streams.map((by) => [contract, { body: { items: rotated(itemsOf(by), by) }, query }]);

/** Every call and every item must succeed. */
const allSucceed = async (calls: readonly Call[]): Promise<Answer[]> => {
  const answers = await races.atOnce(calls);
  expect(answers.filter(({ text }) => text.includes('"success":false')).map(({ text }) => text)).toEqual([]);
  return answers;
};

const deal = (name: string, account_domain: string, more: object = {}) => ({
  pipeline_id: races.gateway.organization.pipeline.id,
  opportunity: { name },
  related_objects: { account_domain, ...more },
});
const idsWith = async (table: string, condition: string, value: string): Promise<string[]> => {
  const text = `SELECT id FROM ${table} WHERE organization_id = $1 AND ${condition} ORDER BY md5(id::text)`;
  return (await races.gateway.rows<{ id: string }>(text, [value])).map(({ id }) => id);
};

describe('R2: no deadlock between bulk calls, four at a time', () => {
  test('creating the same contacts in different orders, filling in their names, then renaming them', async () => {
    const items = (more: object): object[] => numbers.map((n) => ({ email: `p${n}@shared-${n % 9}.com`, ...more }));
    await allSucceed(bulks(api.bulkCreateContacts, () => items({})));
    await allSucceed(bulks(api.bulkCreateContacts, () => items({ first_name: 'Ann' })));
    const renamed = (by: number) => items({ first_name: `N${by}`, phone: `+1 555 000${by}` });
    await allSucceed(bulks(api.bulkCreateContacts, renamed, upsert));
  });

  test('creating and changing the same accounts in different orders', async () => {
    const items = (more: object): object[] => numbers.map((n) => ({ domain: `account-${n}.com`, ...more }));
    await allSucceed(bulks(api.bulkCreateAccounts, () => items({})));
    await allSucceed(bulks(api.bulkCreateAccounts, (by) => items({ name: `N${by}`, industry: `I${by}` }), upsert));
  });

  test('creating and finding the same opportunities in different orders, with other contacts and values', async () => {
    const found = (by: number, round: number) =>
      numbers.slice(0, 40).map((n) => {
        // The second one is new in each round, for all streams; its account is new in the first two rounds.
        const shared = round < 2 ? `round${round}-${n % 20}.com` : `found-${n % 3}.com`;
        const additional_contact_emails = [`p${by}-${n % 7}@found-${n % 4}.com`, `q${round}-${n}@${shared}`];
        const item = deal(`Found ${n}`, `found-${n % 3}.com`, { additional_contact_emails });
        return { ...item, opportunity: { ...item.opportunity, amount: round * 10 + by } };
      });
    const single = (n: number, round: number): Call => [
      api.createOpportunity,
      { body: found(n % 4, round)[n] ?? {}, query: n % 2 === 0 ? upsert : {} },
    ];
    for (const round of [0, 1, 2, 3, 4]) {
      await allSucceed([
        ...bulks(api.bulkCreateOpportunities, (by) => found(by, round), round === 1 ? {} : upsert),
        ...numbers.slice(0, 40).map((n) => single(n, round)),
      ]);
    }
    expect(await idsWith('opportunities', 'name LIKE $2', 'Found %')).toHaveLength(40);
  });

  test('updating the same contacts and accounts by id, including names, emails and domains', async () => {
    const contacts = (await idsWith('contacts', `email LIKE 'p%@' || $2`, 'shared-1.com')).slice(0, 11);
    const accounts = (await idsWith('accounts', 'domain LIKE $2', 'account-%')).slice(0, 50);
    const moved = contacts.map((id, n) => ({ id, email: `moved${n}@account-${n}.com` }));
    const renamed = accounts.map((id, n) => ({ id, domain: `moved-account-${n}.com` }));
    await allSucceed([
      ...bulks(api.bulkUpdateContacts, (by) => contacts.map((id) => ({ id, last_name: `L${by}` }))),
      ...bulks(api.bulkUpdateAccounts, (by) => accounts.map((id) => ({ id, name: `N${by}` }))),
      [api.bulkUpdateContacts, { body: { items: moved } }],
      [api.bulkUpdateAccounts, { body: { items: renamed } }],
    ]);
  });

  test('running next to single creates of opportunities and contacts and single changes of contacts', async () => {
    const emails = numbers.slice(0, 30).map((n) => `p${n}@busy-${n % 5}.com`);
    const single = (n: number): Call => {
      const additional_contact_emails = [emails[(n * 7) % 30], `other${n}@busy-${(n + 1) % 5}.com`];
      const contacts = { primary_contact_email: emails[n % 30], additional_contact_emails };
      return [api.createOpportunity, { body: deal(`Deal ${n % 20}`, `busy-${n % 5}.com`, contacts) }];
    };
    await allSucceed(numbers.slice(0, 30).map(single));
    const [ann = ''] = await idsWith('contacts', 'email = $2', emails[0] ?? '');
    const ofContacts = (n: number): Call[] => [
      [api.updateContact, { params: { id: ann }, body: { first_name: `Ann ${n}` } }],
      [api.createContact, { body: { email: emails[n], last_name: 'Lee' } }],
    ];
    await allSucceed([
      ...bulks(api.bulkCreateContacts, (by) => emails.map((email) => ({ email, first_name: `N${by}` })), upsert),
      ...numbers.slice(0, 40).flatMap((n) => [single(n), ...(n % 4 === 0 ? ofContacts(n % 30) : [])]),
      ...bulks(api.bulkCreateAccounts, (by) => [{ domain: `busy-${by}.com`, name: `Busy ${by}` }], upsert),
    ]);
  });
});

describe('R2: no deadlock between bulk calls that change the natural keys of opportunities', () => {
  const some = numbers.slice(0, 40);
  /** Creates the opportunities of each stream. @returns their ids */
  const createAll = async (prefix: string, domainOf: (stream: number) => string): Promise<string[][]> => {
    const itemsOf = (by: number) => some.map((n) => deal(`${prefix} ${by} ${n}`, domainOf(by)));
    const answers = await allSucceed(
      streams.map((by) => [api.bulkCreateOpportunities, { body: { items: itemsOf(by) } }]),
    );
    return answers.map(({ data }) => (data as { results: { id: string }[] }).results.map(({ id }) => id));
  };
  const countOf = async (name: string): Promise<number> =>
    (await idsWith('opportunities', 'name LIKE $2', name)).length;
  /** Items may be refused, because only one opportunity gets a name. */
  const race = (calls: readonly Call[]) => races.atOnce(calls, [200, 409]);

  test('setting the same names in different orders, next to creates and single changes', async () => {
    const domain = 'names.com';
    const ids = await createAll('Old', () => domain);
    const renames = bulks(api.bulkUpdateOpportunities, (by) =>
      some.map((n) => ({ id: ids[by]?.[n], opportunity: { name: `New ${n}` } })),
    );
    const creates = bulks(api.bulkCreateOpportunities, () => some.map((n) => deal(`New ${n}`, domain)));
    const singles = some.slice(0, 10).flatMap((n): Call[] => [
      [api.createOpportunity, { body: deal(`New ${n + 20}`, domain) }],
      [api.updateOpportunity, { params: { id: ids[0]?.[n] ?? '' }, body: { opportunity: { name: `New ${n + 30}` } } }],
    ]);
    await race([...renames.slice(0, 2), ...creates.slice(0, 2), ...singles]);
    await race([...renames.slice(2), ...creates.slice(2)]);
    expect(await countOf('New %')).toBe(some.length);
  });

  test('setting a new account in one item and a new name in a later one', async () => {
    const ids = await createAll('Move', (by) => `from-${by}.com`);
    // If the account were new, the calls would wait for the first one to create it.
    await races.idOf(api.createAccount, { domain: 'to.com' });
    const moves = streams.map((by): Call => {
      const order = rotated(some.slice(0, 25), by);
      const items = [
        ...order.map((n) => ({ id: ids[by]?.[n], related_objects: { account_domain: 'to.com' } })),
        ...order.map((n) => ({ id: ids[by]?.[n], opportunity: { name: `Moved ${n}` } })),
      ];
      return [api.bulkUpdateOpportunities, { body: { items } }];
    });
    // All calls wait for the lock of the organization, so that they start at the same moment.
    const holder = await races.gateway.writeDatabase.pool.connect();
    await holder.query(`BEGIN; SELECT lock_organization('${races.gateway.organization.id}', 'exclusive')`);
    const racing = race(moves);
    await untilWritesWait(races.gateway.writeDatabase, moves.length);
    await holder.query('ROLLBACK');
    holder.release();
    await racing;
    expect(await countOf('Moved %')).toBe(25);
  });

  test('the server counted none in all these calls, and every record is consistent', async () => {
    await races.expectNoDeadlocks('R2', 'bulk calls beside others');
  });
});
