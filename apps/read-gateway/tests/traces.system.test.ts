import { describeTraces } from '@crm/testing/suites';
import { cursorSecret, startTestGateway } from './support/gateway.js';

describeTraces({
  prepare: async () => {
    const { gatewayUrl, organization, stop } = await startTestGateway();
    const environment = { DATABASE_URL: gatewayUrl, CURSOR_SECRETS: cursorSecret, RATE_LIMIT_LIST: '0' };
    return { environment, apiKey: organization.key, close: stop };
  },
  request: () => ({ path: '/v1/accounts' }),
  app: 'read-gateway',
  method: 'GET',
  operation: 'listAccounts',
  route: '/v1/accounts',
  statement: 'FROM accounts',
  canary: {
    path: '/v1/accounts/search?',
    body: { query: 'canaryword', filters: [{ field: 'domain', operator: 'contains', value: 'canaryvalue' }] },
  },
});
