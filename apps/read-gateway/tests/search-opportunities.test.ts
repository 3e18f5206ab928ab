import { searchOpportunities as contract } from '@crm/contract';
import { afterAll, beforeAll } from '@jest/globals';
import { describeSearch } from './support/describe-search.js';
import { describeSearchRefusals } from './support/describe-search-refusals.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { seedSubject } from './support/seed-subject.js';
import { subjects } from './support/subject.js';

const subject = subjects.opportunity;
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
