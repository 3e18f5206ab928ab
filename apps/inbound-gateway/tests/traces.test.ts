import { describeTraces } from '@crm/testing';
import { startTestGateway } from './support/gateway.js';

let count = 0;

describeTraces({
  mainFile: new URL('../dist/main.js', import.meta.url).pathname,
  service: 'crm-inbound-gateway',
  prepare: async () => {
    const { databaseUrl, organization, stop } = await startTestGateway();
    return { environment: { DATABASE_URL: databaseUrl }, apiKey: organization.key, close: stop };
  },
  request: () => {
    count += 1;
    return { path: '/v1/inbound/accounts', body: { domain: `traced${count}.com` } };
  },
  operation: 'createAccount',
  route: '/v1/inbound/accounts',
  statement: 'write(',
  canary: {
    path: '/v1/inbound/contacts?on_match=update',
    body: { email: 'canary@canary.com', first_name: 'canaryname', job_title: 'canarytitle' },
    headers: { 'idempotency-key': 'canarykey' },
  },
});
