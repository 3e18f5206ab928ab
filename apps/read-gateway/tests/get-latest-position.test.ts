import { getLatestPosition as contract, listEvents } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

describe('200', () => {
  test('returns 0 before the first event, then the position of the newest event with its X-Read-After token', async () => {
    const fresh = await gateway.createOrganization();
    const client = gateway.clientOf(fresh);
    const empty = await client.call(contract);
    expect(empty.data).toEqual({ position: 0, log_id: expect.stringMatching(/^[0-9a-f]+-\d+-\d+-\d+$/) });
    const { addAccount } = recordsOf(
      () => gateway.database,
      () => fresh,
    );
    for (const domain of ['a.example', 'b.example', 'c.example']) await addAccount(domain, domain);
    const latest = await client.call(contract);
    expect(latest.data).toEqual({ position: 3, log_id: empty.data.log_id });
    const mark = latest.headers.get('x-read-after') ?? '';
    const events = await client.call(listEvents, { headers: { 'x-read-after': mark } });
    expect(events.data).toMatchObject({ last_position: 3, log_id: empty.data.log_id });
  });
});

describe('400', () => {
  test('refuses parameters', async () => {
    expect((await gateway.client.call(contract, { query: 'after=1' })).fieldsAtFault).toEqual(['after']);
  });
});
