import {
  getAccount,
  getContact,
  getOpportunity,
  type OperationContract,
  searchAccounts,
  searchContacts,
  searchOpportunities,
} from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { addRecord, recordsIn, type Subject, subjects } from './support/subject.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  for (const { objectType } of Object.values(subjects)) {
    for (const [key, externalId] of [['a'], ['b', 'SF-1'], ['c', 'sf-1'], ['d', 'HS-2']] as const)
      await addRecord(gateway.database, gateway.organization, objectType, {
        key,
        name: key,
        ...(externalId && { externalId }),
      });
    await addRecord(gateway.database, gateway.stranger, objectType, { key: 'b', name: 'b', externalId: 'SF-1' });
  }
});
afterAll(() => gateway.stop());

describe.each<readonly [Subject, OperationContract, OperationContract]>([
  [subjects.account, searchAccounts, getAccount],
  [subjects.contact, searchContacts, getContact],
  [subjects.opportunity, searchOpportunities, getOpportunity],
])('200: filters and sorts by external_id', (subject, search, get) => {
  const find = async (body: object): Promise<readonly unknown[]> => {
    const answer = await gateway.client.call(search, { body: { sort: 'created_at', fields: 'external_id', ...body } });
    // The account of the contacts has no external id either.
    return [...new Set(recordsIn(answer, subject).map((record) => record['external_id']))];
  };
  const leaf = (operator: string, value?: unknown) => ({ filters: [{ field: 'external_id', operator, value }] });

  test.each([
    ['eq, without case like all texts', leaf('eq', 'SF-1'), ['SF-1', 'sf-1']],
    ['in', leaf('in', ['hs-2', 'none']), ['HS-2']],
    ['starts_with', leaf('starts_with', 'hs'), ['HS-2']],
    ['neq', leaf('neq', 'sf-1'), [null, 'HS-2']],
    ['empty', leaf('empty'), [null]],
    ['not_empty', leaf('not_empty'), ['SF-1', 'sf-1', 'HS-2']],
    [
      'as a sort: records without one come last',
      { sort: ['external_id', 'created_at'] },
      ['HS-2', 'SF-1', 'sf-1', null],
    ],
    ['a page of such a sort', { sort: 'external_id:desc', limit: 1 }, ['sf-1']],
  ])('%s', async (_about, body, found) => {
    expect(await find(body)).toEqual(found);
  });

  test('a get returns it by default, a search only if it is named', async () => {
    const page = recordsIn(await gateway.client.call(search, { body: { ...leaf('eq', 'HS-2') } }), subject);
    expect(page).toHaveLength(1);
    expect(page[0]).not.toHaveProperty('external_id');
    const answer = await gateway.client.call(get, { params: { id: String(page[0]?.['id']) } });
    expect(answer.data).toMatchObject({ [subject.objectType]: { external_id: 'HS-2' } });
  });
});
