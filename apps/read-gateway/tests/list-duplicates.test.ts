import { listAccountDuplicates, listContactDuplicates, listOpportunityDuplicates } from '@crm/contract';
import { maxPageBytes } from '@crm/domain';
import { reportFigure, type TestOrganization } from '@crm/testing';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';
import { walkPages } from './support/walk.js';

/** Bytes of the page around the records. */
const otherBytes = 1_000;

const gateway = useGateway(startTestGateway);
let organization: TestOrganization;
beforeEach(async () => {
  organization = await gateway.createOrganization();
});

type Duplicates = typeof listAccountDuplicates | typeof listContactDuplicates | typeof listOpportunityDuplicates;
const ask = (contract: Duplicates, query: Readonly<Record<string, string | number>> = {}) =>
  gateway.client.call(contract, { query, key: organization.key });

/** All duplicates, page by page: key, candidates with their reasons, and whether there are more candidates. */
const walk = async (contract: Duplicates, limit: number) => {
  const answers = await walkPages((cursor) => ask(contract, { limit, cursor }));
  const found = answers.flatMap(({ data: { duplicates } }) => {
    expect(duplicates.length).toBeLessThanOrEqual(limit);
    return duplicates.map(({ key, candidates, truncated }) => {
      const shown = candidates.map((one) => `${String(one.key)} ${one.reasons.join(' ')}`);
      return [key, shown, truncated] as const;
    });
  });
  const bytes = answers.map(({ text }) => Buffer.byteLength(text));
  return { found, pages: answers.length, bytes };
};

/** Adds accounts with numbered domains, each a second younger than the one before. `name` is SQL. */
const addAccounts = (count: number, domain: string, name: string) =>
  gateway.database.query(organization.id, {
    text: `INSERT INTO accounts (organization_id, id, domain, name, normalized_name, search_text, created_at, updated_at)
      SELECT $1, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${domain}, ${name}, lower(${name}), 'x',
             timestamptz '2026-01-01' + n * interval '1 second', now() FROM generate_series(1, $2::int) n`,
    values: [count],
  });

describe('200: accounts', () => {
  test('finds accounts with the same name, whatever its punctuation, and similar domains; lists each pair once, at the younger account', async () => {
    const { addAccount } = gateway.records(organization);
    await addAccount('acme.example', 'Acme');
    await addAccount('acme.test', 'ACME');
    await addAccount('globex.example', 'Acme');
    await addAccount('eu.acme.example', 'acme');
    await addAccount('acme2.example', 'Another');
    await addAccount('rhein-logistik.example', 'Rhein-logistik-ag');
    await addAccount('rheinlogistik.test', 'Rhein Logistik, Ag.');
    await addAccount('marks.example', '!!!');
    await addAccount('marks.test', '???');
    for (const limit of [1, 100]) {
      expect((await walk(listAccountDuplicates, limit)).found).toEqual([
        ['acme.test', ['acme.example same_name_near_domain'], false],
        ['eu.acme.example', ['acme.test same_name_near_domain', 'acme.example same_name_near_domain'], false],
        ['rheinlogistik.test', ['rhein-logistik.example same_name_near_domain'], false],
      ]);
    }
  });

  test('compares each of many accounts of the same name with 20 others and says so; a page reads at most 200', async () => {
    await addAccounts(450, `'a' || n || '.example.' || 't' || n`, `'Acme'`);
    const { found, pages } = await walk(listAccountDuplicates, 500);
    expect(pages).toBe(3);
    expect(found).toHaveLength(449);
    expect(found.map(([, candidates]) => candidates.length).every((count) => count <= 20)).toBe(true);
    expect(found.map(([, , truncated]) => truncated)).toEqual(found.map((_one, index) => index >= 20));
  });

  test('R31: ends a page before its candidates exceed 2 MB', async () => {
    await addAccounts(200, `'c.example.' || 't' || n`, `repeat('𝕬', 255)`);
    const { found, pages, bytes } = await walk(listAccountDuplicates, 500);
    reportFigure('R31', 'bytes of the longest page of duplicates', Math.max(...bytes), `<= ${maxPageBytes}, printed`);
    expect(Math.max(...bytes)).toBeLessThan(maxPageBytes + otherBytes);
    expect([pages, new Set(found.map(([key]) => key)).size]).toEqual([3, 199]);
  });

  test('can return a page without duplicates before another page', async () => {
    await addAccounts(300, `'b' || n || '.example'`, 'n::text');
    expect((await ask(listAccountDuplicates)).data).toMatchObject({ duplicates: [], has_more: true });
    expect((await walk(listAccountDuplicates, 100)).pages).toBe(2);
  });
});

describe('200: contacts and opportunities', () => {
  test('finds contacts with the same account and name, or with the same phone, newest first', async () => {
    const { addContact } = gateway.records(organization);
    const ids = [
      await addContact('ann@acme.example', 'Ann', 'Lee'),
      await addContact('ann.lee@acme.example', 'ANN', 'Lee'),
      await addContact('bob@acme.example', 'Bob', 'Lee'),
      await addContact('ann3@acme.example', 'Ann', 'Lee'),
    ];
    await addContact('ann@globex.example', 'Ann', 'Lee');
    await gateway.database.query(organization.id, {
      text: `UPDATE contacts SET phone = '+4930123', normalized = normalized || '{"phone": "+4930123"}' WHERE organization_id = $1 AND id = ANY ($2)`,
      values: [ids],
    });
    expect((await walk(listContactDuplicates, 100)).found).toEqual([
      ['ann.lee@acme.example', ['ann@acme.example same_name same_phone'], false],
      ['bob@acme.example', ['ann.lee@acme.example same_phone', 'ann@acme.example same_phone'], false],
      [
        'ann3@acme.example',
        [
          'bob@acme.example same_phone',
          'ann.lee@acme.example same_name same_phone',
          'ann@acme.example same_name same_phone',
        ],
        false,
      ],
    ]);
  });

  test('finds opportunities with the same account, pipeline and normalized name', async () => {
    const renewal = { name: 'Renewal', accountDomain: 'acme.example' };
    await gateway
      .records(organization)
      .addDeals([
        renewal,
        { ...renewal, name: 'RENEWAL' },
        { ...renewal, name: 'renewal', pipelineId: organization.otherPipeline.id },
        { name: 'renewal', accountDomain: 'globex.example' },
        { ...renewal, name: 'Another' },
      ]);
    const { duplicates } = (await ask(listOpportunityDuplicates)).data;
    expect(duplicates.map(({ name, key, candidates }) => [name, key, candidates.map((one) => one.name)])).toEqual([
      ['RENEWAL', 'acme.example', ['Renewal']],
    ]);
  });
});

test('R7: records of another organization with the same values are no candidates, nor in the way of any', async () => {
  const fill = async (owner: TestOrganization, number: 0 | 1) => {
    const { addAccount, addContact, addDeals } = gateway.records(owner);
    await addAccount(['acme.example', 'acme.test'][number] ?? '', 'Acme');
    await addContact(['ann@acme.example', 'ann.lee@acme.example'][number] ?? '', 'Ann', 'Lee');
    await addDeals([{ name: ['Renewal', 'RENEWAL'][number] ?? '', accountDomain: 'acme.example' }]);
  };
  /** Copies each record more often than a record is compared with others. */
  const crowd = async (owner: TestOrganization) => {
    for (const [table, key] of [
      ['accounts', 'domain'],
      ['contacts', 'email'],
      ['opportunities', 'name'],
    ])
      await gateway.database.query(owner.id, {
        text: `INSERT INTO ${table} SELECT (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(), '${key}', concat(n, '.', r.${key})))).*
                 FROM ${table} r, generate_series(1, 30) n WHERE r.organization_id = $1`,
        values: [],
      });
  };
  const other = await gateway.createOrganization();
  await fill(organization, 0);
  await fill(other, 0);
  await crowd(other);
  await fill(organization, 1);
  for (const contract of [listAccountDuplicates, listContactDuplicates, listOpportunityDuplicates] as const) {
    const { duplicates } = (await ask(contract)).data;
    const shown = duplicates.map(({ candidates, truncated }) => [candidates.length, truncated]);
    expect([contract.id, shown]).toEqual([contract.id, [[1, false]]]);
  }
});
