import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { migrate, openAdministrationDatabase } from '@crm/db';
import { startLocalPostgres, type LocalPostgres } from '@crm/local-postgres';

import { CliError, errorText } from '../errors.js';
import { sendDemoDeals } from './demo-deals.js';
import { DemoFileKeeper, type DemoFile } from './demo-file.js';
import { openDemoOrganization, type DemoOrganization } from './demo-organization.js';
import { checkGatewayPorts } from './gateway-ports.js';
import { GatewayProcess, type GatewayName } from './gateway-process.js';
import { hasProcess } from './process-identity.js';
import type { StackSettings } from './settings.js';
import { takeStackLock } from './stack-lock.js';
import { openStackState, saveStackState, type StackState } from './stack-state.js';

/** The inputs of the stack, from the command that runs it. */
export interface StackOptions {
  readonly settings: StackSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  /** Receives progress messages, one short sentence each. */
  readonly log: (text: string) => void;
  /** Called once, when everything is ready. */
  readonly onReady: (demo: DemoFile) => void;
}

/** How long the gateways of a killed stack may take to release their ports. */
const recoveryPatienceMs = 20_000;
const watchIntervalMs = 1000;

/** Stops one part of the stack. The part that started last is stopped first. */
type Stop = () => Promise<void>;

/**
 * Runs the whole stack until a stop is requested, then stops all parts in order.
 *
 * @throws CliError if it cannot start, or if a part of it ends by itself.
 */
export const runStack = async (options: StackOptions): Promise<void> => {
  const stops: Stop[] = [];
  try {
    await start(options, stops);
  } catch (error) {
    // A stop during the start is not a failure.
    if (!options.signal.aborted) throw error;
  } finally {
    await stopAll(stops, options.log);
  }
};

const stopAll = async (stops: Stop[], log: (text: string) => void): Promise<void> => {
  for (const stop of stops.reverse()) {
    // If one part fails to stop, the others are still stopped.
    await stop().catch((error: unknown) => log(`Stopping failed: ${errorText(error)}`));
  }
};

const start = async (options: StackOptions, stops: Stop[]): Promise<void> => {
  const { settings, signal, log } = options;
  const { directory } = settings;
  await makeDirectory(directory);
  const lock = await takeStackLock(directory);
  stops.push(() => lock.release());
  await checkGatewayPorts(settings, lock.recovered ? recoveryPatienceMs : 0);
  const keeper = new DemoFileKeeper(directory);
  const previous = await keeper.withdraw();
  const state = await openStackState(directory);
  signal.throwIfAborted();
  const postgres = await startPostgres(directory, state, log);
  stops.push(async () => {
    log('Stopping PostgreSQL');
    await postgres.stop();
  });
  signal.throwIfAborted();
  const demo = await prepareDatabase(postgres.url, previous, log);
  signal.throwIfAborted();
  const [read, inbound] = await startGateways(options, postgres.url, state, stops);
  if (!state.hasDemoDeals) {
    await sendDemoDeals(inbound.url, demo, signal);
    await saveStackState(directory, { ...state, hasDemoDeals: true });
  }
  const demoFile: DemoFile = {
    read_url: read.url,
    inbound_url: inbound.url,
    api_key: demo.apiKey,
    pipeline_id: demo.pipeline.id,
    organization_id: demo.organizationId,
    database_url: postgres.url,
  };
  await keeper.publish(demoFile);
  stops.push(async () => {
    log('Stopping the gateways');
    await keeper.withdraw();
  });
  options.onReady(demoFile);
  await watch([read, inbound], postgres, settings, signal);
};

const makeDirectory = async (directory: string): Promise<void> => {
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    throw new CliError(
      `The data directory ${directory} cannot be created: ${errorText(error)}. Set CRM_DATA_DIR to another directory.`,
    );
  }
};

const startPostgres = async (
  directory: string,
  state: StackState,
  log: (text: string) => void,
): Promise<LocalPostgres> => {
  try {
    return await startLocalPostgres({
      dataDir: join(directory, 'postgres'),
      user: 'crm',
      password: state.databasePassword,
      database: 'crm',
      // Analyzes tables soon after a first import. Until then PostgreSQL plans queries as if they were still empty.
      settings: { autovacuum_naptime: '10s' },
      stopOnExit: true,
      log,
    });
  } catch (error) {
    throw new CliError(`PostgreSQL cannot be started: ${errorText(error)}`, 1, { cause: error });
  }
};

const prepareDatabase = async (
  url: string,
  previous: DemoFile | undefined,
  log: (text: string) => void,
): Promise<DemoOrganization> => {
  await migrate(url, { onProgress: (pending) => log(`Creating the tables (migrations: ${pending.length})`) });
  const database = openAdministrationDatabase({ url, applicationName: 'crm-start', maxConnections: 2 });
  try {
    return await openDemoOrganization(database, previous);
  } finally {
    await database.close();
  }
};

const startGateways = async (
  { settings, env, signal, log }: StackOptions,
  databaseUrl: string,
  { cursorSecret }: StackState,
  stops: Stop[],
): Promise<readonly [read: GatewayProcess, inbound: GatewayProcess]> => {
  log('Starting the gateways');
  const { directory } = settings;
  const { readPort, inboundPort } = settings;
  const gateway = (name: GatewayName, port: number, otherPort: number): Promise<GatewayProcess> =>
    GatewayProcess.start({ name, port, otherPort, databaseUrl, cursorSecret, directory, env });
  const read = await gateway('read-gateway', readPort, inboundPort);
  const started = [read];
  stops.push(async () => {
    await Promise.all(started.map((one) => one.stop()));
  });
  const inbound = await gateway('inbound-gateway', inboundPort, readPort);
  started.push(inbound);
  await Promise.all(started.map((one) => one.waitUntilReady(signal)));
  return [read, inbound];
};

/** Waits until the user stops the stack. Throws if a part of it ends by itself. */
const watch = async (
  gateways: readonly GatewayProcess[],
  postgres: LocalPostgres,
  settings: StackSettings,
  signal: AbortSignal,
): Promise<void> => {
  const ends = gateways.map(async (gateway) => {
    const end = await gateway.ended;
    throw new CliError(`The ${gateway.name} ended by itself (${end}). ${await gateway.logTail()}`);
  });
  // Every gateway ends when the stack stops. The race is over by then, so these rejections can be ignored.
  for (const end of ends) void end.catch(() => undefined);
  await Promise.race([...ends, watchPostgres(postgres, settings, signal)]);
};

const watchPostgres = async (
  { pid }: LocalPostgres,
  { directory }: StackSettings,
  signal: AbortSignal,
): Promise<void> => {
  while (hasProcess(pid)) await sleep(watchIntervalMs, undefined, { signal });
  throw new CliError(`PostgreSQL ended by itself. Its log is ${join(directory, 'postgres', 'postgres.log')}.`);
};
