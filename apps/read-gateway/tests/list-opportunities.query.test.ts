import { listOpportunities } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  const { addAccount, addContact, addDeals } = recordsOf(
    () => gateway.database,
    () => gateway.organization,
  );
  await addAccount('acme.com', 'ÄCME Steel & Söhne');
  await addContact('searched@contact.com', 'Unfindable', 'Person');
  await addDeals([
    { name: 'Website redesign', accountDomain: 'acme.com' },
    { name: 'Rollout 100% done', accountDomain: 'other-company.com' },
    { name: 'Rollout 1000 done', accountDomain: 'other-company.com' },
    { name: 'snake_case' },
    { name: 'snakeXcase' },
    { name: 'back\\slash' },
    { name: "O'Neil  Ltd" },
    { name: 'Cafe\u0301 Ö'.normalize('NFC') },
    { name: 'ΟΔΟΣ' },
    { name: '会议 😀 deal' },
    { name: 'With contact', primary: 'searched@contact.com' },
  ]);
});
afterAll(() => gateway.stop());

/** The names of the deals that a query finds, oldest first. */
const find = async (q: string): Promise<(string | null)[]> => {
  const query = { pipeline_id: gateway.organization.pipeline.id, q };
  const { data } = await gateway.client.call(listOpportunities, { query });
  return data.opportunities.map(({ name }) => name).reverse();
};

describe('200: q', () => {
  test.each([
    ['a part of a name', 'redes', ['Website redesign']],
    ['another case', 'WEBSITE', ['Website redesign']],
    ['several words, in any order', 'redesign web', ['Website redesign']],
    ['a word too many', 'redesign mobile', []],
    ['one word of the name and one of the account', 'redesign steel', ['Website redesign']],
    ['a word twice', 'web web', ['Website redesign']],
    ['the name of the account', 'äcme', ['Website redesign']],
    ['the name of the account in another case', 'SÖHNE', ['Website redesign']],
    ['the domain of the account', 'acme.com', ['Website redesign']],
    ['white space of any kind around and between', '\t web\n\u3000redesign ', ['Website redesign']],
    ['a single character', '😀', ['会议 😀 deal']],
    ['two characters of a script without spaces', '会议', ['会议 😀 deal']],
    ['decomposed letters', 'cafe\u0301', ['Café Ö']],
    ['a letter with and without its accent, which differ', 'cafe', []],
    ['quotes', "o'neil", ["O'Neil  Ltd"]],
    ['a final sigma as lower case makes it', 'ΟΔΟΣ', ['ΟΔΟΣ']],
    ['the name of a contact, which is not searched', 'unfindable', []],
    ['the email of a contact, which is not searched', 'searched', []],
    ['nothing that occurs', 'zzz', []],
  ])('handles %s', async (_about, q, names) => {
    expect(await find(q)).toEqual(names);
  });

  test.each([
    ['%', ['Rollout 100% done']],
    ['100%', ['Rollout 100% done']],
    ['1%0', []],
    ['_', ['snake_case']],
    ['snake_case', ['snake_case']],
    ['\\', ['back\\slash']],
    ['\\s', ['back\\slash']],
    ['\\%', []],
    ["'; DROP TABLE opportunities; --", []],
  ])('takes %s literally', async (q, names) => {
    expect(await find(q)).toEqual(names);
  });

  test('treats the account of the contact as the account of the deal', async () => {
    expect(await find('contact.com')).toEqual(['With contact']);
  });

  test('finds everything for white space only', async () => {
    for (const q of ['', ' ', '\t\n\u00a0']) expect(await find(q)).toHaveLength(11);
  });

  test('accepts two hundred characters', async () => {
    expect(await find('a'.repeat(200))).toEqual([]);
    expect(await find(` ${'😀'.repeat(200)} `)).toEqual([]);
    expect(await find('a '.repeat(100))).not.toEqual([]);
  });

  test('does not find deals of other pipelines and organizations', async () => {
    const { organization, stranger } = gateway;
    const deal = { name: 'Elsewhere' };
    for (const [owner, pipeline] of [
      [organization, organization.otherPipeline],
      [stranger, stranger.pipeline],
    ] as const) {
      const records = recordsOf(
        () => gateway.database,
        () => owner,
      );
      await records.addDeals([{ ...deal, pipelineId: pipeline.id }]);
    }
    expect(await find('elsewhere')).toEqual([]);
  });
});
