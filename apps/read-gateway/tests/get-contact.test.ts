import { getContact as contract } from '@crm/contract';
import { afterAll, beforeAll } from '@jest/globals';
import { describeGet } from './support/describe-get.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { seedSubject } from './support/seed-subject.js';
import { subjects } from './support/subject.js';

let gateway: TestGateway;
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  gateway = await startTestGateway();
  ids = await seedSubject(gateway, subjects.contact);
});
afterAll(() => gateway.stop());

describeGet(
  contract,
  subjects.contact,
  () => gateway,
  () => ids,
);
