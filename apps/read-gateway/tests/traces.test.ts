import { describeTraces } from '@crm/testing';
import { cursorSecret, startTestGateway } from './support/gateway.js';

describeTraces({
  mainFile: new URL('../dist/main.js', import.meta.url).pathname,
  service: 'crm-read-gateway',
  prepare: async () => {
    const { databaseUrl, organization, stop } = await startTestGateway();
    const environment = { DATABASE_URL: databaseUrl, CURSOR_SECRETS: cursorSecret };
    return { environment, apiKey: organization.key, close: stop };
  },
  request: () => ({ path: '/v1/accounts' }),
  operation: 'listAccounts',
  route: '/v1/accounts',
  statement: 'FROM accounts',
  canary: {
    path: '/v1/accounts/search?',
    body: { query: 'canaryword', filters: [{ field: 'domain', operator: 'contains', value: 'canaryvalue' }] },
  },
});
