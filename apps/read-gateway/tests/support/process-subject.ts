import type { GatewaySubject } from '@crm/testing/suites';
import { cursorSecret, startTestGateway } from './gateway.js';

/** The built gateway, for suites that start it as a separate process. */
export const processSubject: GatewaySubject = {
  mainFile: new URL('../../dist/main.js', import.meta.url).pathname,
  prepare: async () => {
    const { gatewayUrl, organization, stop } = await startTestGateway();
    const environment = { DATABASE_URL: gatewayUrl, CURSOR_SECRETS: cursorSecret, RATE_LIMIT_LIST: '0' };
    return { environment, apiKey: organization.key, close: stop };
  },
  request: () => ({ path: '/v1/accounts' }),
};
