import { listAccountFields as contract } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeFields } from './support/describe-fields.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { defineSubjectFields } from './support/seed-subject.js';
import { subjects } from './support/subject.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  await defineSubjectFields(gateway.organization, subjects.account);
});
afterAll(() => gateway.stop());

describeFields(contract, subjects.account, () => gateway);

describe('400: accounts', () => {
  test('refuses pipeline_id', async () => {
    const query = { pipeline_id: gateway.organization.pipeline.id };
    const answer = await gateway.client.call(contract, { query });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(['pipeline_id']);
  });
});
