import { listAccounts } from '@crm/contract';
import { createTestClient, startGatewayProcess, startLimitedRole } from '@crm/testing';
import { describeDatabaseFaults, type FaultySubject } from '@crm/testing/suites';
import { cursorSecret, startTestGateway } from './support/gateway.js';

describeDatabaseFaults({
  prepare: async () => {
    const gateway = await startTestGateway();
    const role = await startLimitedRole(gateway.databaseUrl, 'read');
    const close = async (): Promise<void> => {
      await role.drop();
      await gateway.stop();
    };
    const start = async (databaseUrl: string): Promise<FaultySubject> => {
      const environment = { RATE_LIMIT_LIST: '0', CURSOR_SECRETS: cursorSecret };
      const process = await startGatewayProcess('read-gateway', { DATABASE_URL: databaseUrl, ...environment });
      const client = createTestClient(process.url, gateway.organization.key);
      return {
        process,
        request: () => client.call(listAccounts),
        setConnectionsAllowed: (areAllowed) => role.setConnectionsAllowed(areAllowed),
      };
    };
    return { databaseUrl: role.url, start, close };
  },
});
