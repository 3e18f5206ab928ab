import {
  type DuplicatePage,
  listAccountDuplicates,
  listContactDuplicates,
  listOpportunityDuplicates,
  type OperationContract,
} from '@crm/contract';
import type { TestOrganization } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const recordsIn = (organization: TestOrganization) =>
  recordsOf(
    () => gateway.database,
    () => organization,
  );

const page = async (
  contract: OperationContract,
  organization: TestOrganization,
  query: Readonly<Record<string, string>> = {},
): Promise<DuplicatePage> => {
  const answer = await gateway.clientOf(organization).call(contract, { query });
  expect(answer.status).toBe(200);
  return answer.data as DuplicatePage;
};

/** All duplicates, page by page: key, candidates with their reasons, and whether there are more candidates. */
const walk = async (contract: OperationContract, organization: TestOrganization, limit: number) => {
  const found: [string | null, string[], boolean][] = [];
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null; pages += 1) {
    const query = { limit: String(limit), ...(cursor === '' ? {} : { cursor }) };
    const { duplicates, next_cursor: next, has_more: hasMore } = await page(contract, organization, query);
    expect(duplicates.length).toBeLessThanOrEqual(limit);
    expect(hasMore).toBe(next !== null);
    for (const { key, candidates, truncated } of duplicates) {
      found.push([key, candidates.map((one) => `${String(one.key)} ${one.reasons.join(' ')}`), truncated]);
    }
    cursor = next;
  }
  return { found, pages };
};

describe('200: accounts', () => {
  test('finds accounts with the same name and similar domains; lists each pair once, at the younger account', async () => {
    const organization = await gateway.createOrganization();
    const { addAccount } = recordsIn(organization);
    for (const [domain, name] of [
      ['acme.example', 'Acme'],
      ['acme.test', 'ACME'],
      ['globex.example', 'Acme'],
      ['eu.acme.example', 'acme'],
      ['acme2.example', 'Another'],
    ] as const)
      await addAccount(domain, name);
    for (const limit of [1, 2, 100]) {
      const { found } = await walk(listAccountDuplicates, organization, limit);
      expect(found).toEqual([
        ['acme.test', ['acme.example same_name_near_domain'], false],
        ['eu.acme.example', ['acme.test same_name_near_domain', 'acme.example same_name_near_domain'], false],
      ]);
    }
  });

  test('compares each of many accounts of the same name with 20 others and says so; a page reads at most 200', async () => {
    const organization = await gateway.createOrganization();
    await gateway.database.query(organization.id, {
      text: `INSERT INTO accounts (organization_id, id, domain, name, normalized_name, search_text, created_at, updated_at)
        SELECT $1, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'a' || n || '.example.' || 't' || n, 'Acme', 'acme', 'acme',
               timestamptz '2026-01-01' + n * interval '1 second', now() FROM generate_series(1, 450) n`,
      values: [],
    });
    const { found, pages } = await walk(listAccountDuplicates, organization, 500);
    expect(pages).toBe(3);
    expect(found).toHaveLength(449);
    expect(found.map(([, candidates]) => candidates.length).every((count) => count <= 20)).toBe(true);
    expect(found.map(([, , truncated]) => truncated)).toEqual(found.map((_one, index) => index >= 20));
  });

  test('can return a page without duplicates before a page with some', async () => {
    const organization = await gateway.createOrganization();
    await gateway.database.query(organization.id, {
      text: `INSERT INTO accounts (organization_id, id, domain, name, normalized_name, search_text, created_at, updated_at)
        SELECT $1, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'b' || n || '.example', n::text, n::text, 'x', now(), now()
          FROM generate_series(1, 300) n`,
      values: [],
    });
    const first = await page(listAccountDuplicates, organization);
    expect(first).toMatchObject({ duplicates: [], has_more: true });
    expect((await walk(listAccountDuplicates, organization, 100)).pages).toBe(2);
  });
});

describe('200: contacts and opportunities', () => {
  test('finds contacts with the same account and name, or with the same phone', async () => {
    const organization = await gateway.createOrganization();
    const { addContact } = recordsIn(organization);
    const ids = [];
    for (const email of ['ann@acme.example', 'ann.lee@acme.example', 'ann@globex.example', 'bob@acme.example']) {
      const first = email.startsWith('ann@') ? 'Ann' : email.startsWith('bob') ? 'Bob' : 'ANN';
      ids.push(await addContact(email, first, 'Lee'));
    }
    await gateway.database.query(organization.id, {
      text: `UPDATE contacts SET phone = '+4930123', normalized = normalized || '{"phone": "+4930123"}' WHERE organization_id = $1 AND id = ANY ($2)`,
      values: [[ids[0], ids[1], ids[3]]],
    });
    expect((await walk(listContactDuplicates, organization, 100)).found).toEqual([
      ['ann.lee@acme.example', ['ann@acme.example same_name same_phone'], false],
      ['bob@acme.example', ['ann.lee@acme.example same_phone', 'ann@acme.example same_phone'], false],
    ]);
  });

  test('finds opportunities with the same account, pipeline and normalized name', async () => {
    const organization = await gateway.createOrganization();
    const renewal = { name: 'Renewal', accountDomain: 'acme.example' };
    await recordsIn(organization).addDeals([
      renewal,
      { ...renewal, name: 'RENEWAL' },
      { ...renewal, name: 'renewal', pipelineId: organization.otherPipeline.id },
      { name: 'renewal', accountDomain: 'globex.example' },
      { ...renewal, name: 'Another' },
    ]);
    const { duplicates } = await page(listOpportunityDuplicates, organization);
    expect(duplicates.map(({ name, key, candidates }) => [name, key, candidates.map((one) => one.name)])).toEqual([
      ['RENEWAL', 'acme.example', ['Renewal']],
    ]);
  });

  test('finds none in another organization', async () => {
    for (const contract of [listAccountDuplicates, listContactDuplicates, listOpportunityDuplicates]) {
      expect((await page(contract, gateway.stranger)).duplicates).toEqual([]);
    }
  });
});

describe('400', () => {
  test.each(['limit=0', 'limit=501', 'cursor=x', 'q=a', 'fields=name'])('refuses %s', async (query) => {
    const answer = await gateway.client.call(listAccountDuplicates, { query });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual([query.slice(0, query.indexOf('='))]);
  });
});
