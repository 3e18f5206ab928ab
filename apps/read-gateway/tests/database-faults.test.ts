import { listAccounts, readOperations } from '@crm/contract';
import { createTestClient, describeDatabaseFaults, startGatewayProcesses, startLimitedRole } from '@crm/testing';
import { cursorSecret, startTestGateway, type TestGateway } from './support/gateway.js';

const mainFile = new URL('../dist/main.js', import.meta.url).pathname;

let gateway: TestGateway;
let role: Awaited<ReturnType<typeof startLimitedRole>>;

describeDatabaseFaults({
  prepare: async () => {
    gateway = await startTestGateway();
    role = await startLimitedRole(gateway.databaseUrl);
    const close = async (): Promise<void> => {
      await role.drop();
      await gateway.stop();
    };
    return { databaseUrl: role.url, close };
  },
  start: async (databaseUrl) => {
    const environment = { RATE_LIMIT_LIST: '0', LOG_LEVEL: 'fatal', CURSOR_SECRETS: cursorSecret };
    const [process] = await startGatewayProcesses(1, mainFile, { DATABASE_URL: databaseUrl, ...environment });
    if (process === undefined) throw new Error('no process was started');
    const client = createTestClient(process.url, readOperations, gateway.organization.key);
    return {
      process,
      request: () => client.call(listAccounts),
      setConnectionsAllowed: (areAllowed) => role.setConnectionsAllowed(areAllowed),
    };
  },
});
