import { listContacts as contract } from '@crm/contract';
import { afterAll, beforeAll } from '@jest/globals';
import { describeList } from './support/describe-list.js';
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

describeList(
  contract,
  subjects.contact,
  () => gateway,
  () => ids,
);
