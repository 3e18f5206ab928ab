import { type AdministrationDatabase, migrate, openAdministrationDatabase } from '@crm/db';
import {
  createTestClient,
  type GatewayProcess,
  startGatewayProcess,
  startReplicatedPostgres,
  until,
} from '@crm/testing';
import { createTestOrganization } from '@crm/testing/suites';

const quiet = {
  RATE_LIMIT_INBOUND: '0',
  RATE_LIMIT_BULK: '0',
  RATE_LIMIT_LIST: '0',
  RATE_LIMIT_SEARCH: '0',
  LOG_LEVEL: 'error',
  CURSOR_SECRETS: 'a secret that only the tests know',
  // The test servers do not flush to disk.
  ALLOW_UNSAFE_DURABILITY: '1',
};

/** Both gateways in separate processes, on a primary and its replica. */
export type ReplicatedGateways = Awaited<ReturnType<typeof startReplicatedGateways>>;

/** Starts the servers and gateways for a test of replicas. */
export const startReplicatedGateways = async () => {
  const servers = await startReplicatedPostgres();
  await migrate(servers.primaryUrl);
  const open = (url: string): AdministrationDatabase =>
    openAdministrationDatabase({ url, applicationName: 'replica-test' });
  const primary = open(servers.primaryUrl);
  const organization = await createTestOrganization(primary);
  const processes: GatewayProcess[] = [];
  const start = async (gateway: 'read' | 'inbound', environment: Readonly<Record<string, string>>) => {
    const settings = { DATABASE_URL: servers.primaryUrl, ...quiet, ...environment };
    const process = await startGatewayProcess(`${gateway}-gateway`, settings);
    processes.push(process);
    const { url } = process;
    return { url, client: createTestClient(url, organization.key) };
  };
  /** Waits until the replica has everything that the primary has. */
  const untilReplicaFollows = async (): Promise<void> => {
    const { rows } = await primary.pool.query<{ lsn: string }>('SELECT pg_current_wal_flush_lsn() AS lsn');
    const replica = open(servers.replicaUrl);
    const text = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS follows';
    await until(async () => {
      const { rows: found } = await replica.pool.query<{ follows: boolean }>(text, [rows[0]?.lsn]);
      return found[0]?.follows === true;
    });
    await replica.close();
  };
  const readGateway = await start('read', { READ_DATABASE_URL: servers.replicaUrl });
  return {
    servers,
    organization,
    inbound: (await start('inbound', {})).client,
    read: readGateway.client,
    readUrl: readGateway.url,
    /** Starts another read gateway with another address of the replica. */
    startRead: async (environment: Readonly<Record<string, string>>) => (await start('read', environment)).client,
    untilReplicaFollows,
    stop: async () => {
      await Promise.all(processes.map((one) => one.stop()));
      await primary.close();
      await servers.stop();
    },
  };
};
