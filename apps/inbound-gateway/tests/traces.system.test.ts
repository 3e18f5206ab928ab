import { describeTraces } from '@crm/testing/suites';
import { startTestGateway } from './support/gateway.js';

let count = 0;

describeTraces({
  prepare: async () => {
    const { gatewayUrl, organization, stop } = await startTestGateway();
    const environment = { DATABASE_URL: gatewayUrl, RATE_LIMIT_INBOUND: '0' };
    return { environment, apiKey: organization.key, close: stop };
  },
  request: () => {
    count += 1;
    return { path: '/v1/inbound/accounts', body: { domain: `subject${count}.com` } };
  },
  app: 'inbound-gateway',
  method: 'POST',
  operation: 'createAccount',
  route: '/v1/inbound/accounts',
  statement: 'write(',
  canary: {
    path: '/v1/inbound/contacts?on_match=update',
    body: { email: 'canary@canary.com', first_name: 'canaryname', job_title: 'canarytitle' },
    headers: { 'idempotency-key': 'canarykey' },
  },
});
