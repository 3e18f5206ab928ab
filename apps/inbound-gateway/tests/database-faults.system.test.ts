import { createAccount } from '@crm/contract';
import { createTestClient, startGatewayProcess, startLimitedRole } from '@crm/testing';
import { describeDatabaseFaults, type FaultySubject } from '@crm/testing/suites';
import { startTestGateway } from './support/gateway.js';

let count = 0;

describeDatabaseFaults({
  prepare: async () => {
    const gateway = await startTestGateway();
    const role = await startLimitedRole(gateway.databaseUrl, 'inbound');
    const close = async (): Promise<void> => {
      await role.drop();
      await gateway.stop();
    };
    const start = async (databaseUrl: string): Promise<FaultySubject> => {
      const process = await startGatewayProcess('inbound-gateway', {
        DATABASE_URL: databaseUrl,
        RATE_LIMIT_INBOUND: '0',
      });
      const client = createTestClient(process.url, gateway.organization.key);
      return {
        process,
        request: () => {
          count += 1;
          return client.call(createAccount, { body: { domain: `fault${count}.com` } });
        },
        setConnectionsAllowed: (areAllowed) => role.setConnectionsAllowed(areAllowed),
      };
    };
    return { databaseUrl: role.url, start, close };
  },
});
