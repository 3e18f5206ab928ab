import { searchContacts as contract } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeSearch } from './support/describe-search.js';
import { describeSearchRefusals } from './support/describe-search-refusals.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { seedSubject } from './support/seed-subject.js';
import { subjects } from './support/subject.js';

const subject = subjects.contact;
let gateway: TestGateway;
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  gateway = await startTestGateway();
  ids = await seedSubject(gateway, subject);
});
afterAll(() => gateway.stop());

describeSearch(
  contract,
  subject,
  () => gateway,
  () => ids,
);
describeSearchRefusals(contract, subject, () => gateway);

describe('400: contacts', () => {
  test('refuses pipeline_id and stage_id', async () => {
    const { pipeline } = gateway.organization;
    const body = { pipeline_id: pipeline.id, stage_id: pipeline.stages[0]?.id };
    const answer = await gateway.client.call(contract, { body });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(['pipeline_id', 'stage_id']);
  });
});
