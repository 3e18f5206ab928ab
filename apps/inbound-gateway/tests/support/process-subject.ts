import type { GatewaySubject } from '@crm/testing/suites';
import { startTestGateway } from './gateway.js';

let count = 0;

/** The built gateway, for suites that start it as a separate process. */
export const processSubject: GatewaySubject = {
  mainFile: new URL('../../dist/main.js', import.meta.url).pathname,
  prepare: async () => {
    const { gatewayUrl, organization, stop } = await startTestGateway();
    const environment = { DATABASE_URL: gatewayUrl, RATE_LIMIT_INBOUND: '0' };
    return { environment, apiKey: organization.key, close: stop };
  },
  request: () => {
    count += 1;
    return { path: '/v1/inbound/accounts', body: { domain: `subject${count}.com` } };
  },
};
