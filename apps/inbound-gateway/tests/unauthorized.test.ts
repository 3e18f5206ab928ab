import { inboundOperations as contracts } from '@crm/contract';
import { describeUnauthorized } from '@crm/testing/suites';
import { afterAll, beforeAll } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

describeUnauthorized({
  contracts,
  client: () => gateway.client,
  organization: () => gateway.organization,
});
