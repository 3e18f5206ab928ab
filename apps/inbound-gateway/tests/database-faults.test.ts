import { createAccount, inboundOperations } from '@crm/contract';
import { createTestClient, describeDatabaseFaults, startGatewayProcesses, startLimitedRole } from '@crm/testing';
import { startTestGateway, type TestGateway } from './support/gateway.js';

const mainFile = new URL('../dist/main.js', import.meta.url).pathname;

let gateway: TestGateway;
let role: Awaited<ReturnType<typeof startLimitedRole>>;
let count = 0;

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
    const environment = { RATE_LIMIT_INBOUND: '0', LOG_LEVEL: 'fatal', ALLOW_UNSAFE_DURABILITY: '1' };
    const [process] = await startGatewayProcesses(1, mainFile, { DATABASE_URL: databaseUrl, ...environment });
    if (process === undefined) throw new Error('no process was started');
    const client = createTestClient(process.url, inboundOperations, gateway.organization.key);
    return {
      process,
      request: () => {
        count += 1;
        return client.call(createAccount, { body: { domain: `fault${count}.com` } });
      },
      setConnectionsAllowed: (areAllowed) => role.setConnectionsAllowed(areAllowed),
    };
  },
});
