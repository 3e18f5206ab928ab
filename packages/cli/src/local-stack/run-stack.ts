import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { createClient } from '@crm/client';
import { migrate } from '@crm/db';
import { isAlive, startLocalPostgres, type LocalPostgres } from '@crm/local-postgres';

import { CliError, errorText } from '../errors.js';
import { linkDemoFile, publishDemoFile, withdrawDemoFile, type DemoFile } from './demo-file.js';
import { chooseDemoPipeline, openDemoOrganization, sendDemoDeals } from './demo-organization.js';
import { openStackState, saveStackState, type StackSettings, type StackState } from './settings.js';
import { takeStackLock } from './stack-lock.js';
import { portProblem, processKinds, StackProcess, urlOf } from './stack-process.js';

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
  const patienceMs = lock.recovered ? recoveryPatienceMs : 0;
  const checks = processKinds.map((kind) => portProblem(kind, settings.ports[kind.name], patienceMs));
  const problems = (await Promise.all(checks)).filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new CliError(problems.join('\n'));
  const previous = await withdrawDemoFile(directory);
  const state = await openStackState(directory);
  signal.throwIfAborted();
  const postgres = await startPostgres(directory, state, log);
  stops.push(async () => {
    log('Stopping PostgreSQL');
    await postgres.stop();
  });
  signal.throwIfAborted();
  await migrate(postgres.url, { onProgress: (pending) => log(`Creating the tables (migrations: ${pending.length})`) });
  const demo = await openDemoOrganization(postgres.url, previous, state.hasDemoDeals);
  signal.throwIfAborted();
  const processes = await startProcesses(options, postgres.url, state, stops);
  const [readUrl, inboundUrl] = [urlOf(settings.ports['read-gateway']), urlOf(settings.ports['inbound-gateway'])];
  const client = createClient({ readUrl, inboundUrl, apiKey: demo.apiKey });
  const pipeline = await chooseDemoPipeline(client, previous);
  if (!demo.isSetUp) {
    await sendDemoDeals(client, pipeline, signal);
    await saveStackState(directory, { ...state, hasDemoDeals: true });
  }
  const demoFile: DemoFile = {
    read_url: readUrl,
    inbound_url: inboundUrl,
    api_key: demo.apiKey,
    pipeline_id: pipeline.pipeline_id,
    organization_id: demo.organizationId,
    database_url: postgres.url,
  };
  await publishDemoFile(directory, demoFile);
  const unlink = await linkDemoFile(directory);
  if (unlink === undefined) log(`For crm in another terminal: export CRM_DATA_DIR='${directory}'`);
  stops.push(async () => {
    log('Stopping the gateways');
    await unlink?.();
    await withdrawDemoFile(directory);
  });
  options.onReady(demoFile);
  await watch(processes, postgres, settings, signal);
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

/** Starts all processes at once, and waits until they are ready. */
const startProcesses = async (
  { settings, env, signal, log }: StackOptions,
  databaseUrl: string,
  { cursorSecret, webhookSecretKey }: StackState,
  stops: Stop[],
): Promise<readonly StackProcess[]> => {
  log('Starting the gateways and the webhook worker');
  const { directory, ports } = settings;
  const started: StackProcess[] = [];
  stops.push(async () => {
    await Promise.all(started.map((one) => one.stop()));
  });
  for (const { name } of processKinds) {
    const other = name === 'read-gateway' ? 'inbound-gateway' : 'read-gateway';
    const own = {
      DATABASE_URL: databaseUrl,
      CURSOR_SECRETS: cursorSecret,
      OTHER_GATEWAY_URL: urlOf(ports[other]),
      WEBHOOK_SECRET_KEY: webhookSecretKey,
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
      // The worker has no API, so its port is that of its health checks.
      ...(name === 'webhook-worker' && { ADMIN_PORT: String(ports[name]) }),
    };
    started.push(await StackProcess.start(name, { port: ports[name], directory, env, own }));
  }
  await Promise.all(started.map((one) => one.waitUntilReady(signal)));
  return started;
};

/** Waits until the user stops the stack. Throws if a part of it ends by itself. */
const watch = async (
  processes: readonly StackProcess[],
  postgres: LocalPostgres,
  settings: StackSettings,
  signal: AbortSignal,
): Promise<void> => {
  const ends = processes.map((one) => one.failAtEnd());
  // Every process ends when the stack stops. The race is over by then, so these rejections can be ignored.
  for (const end of ends) void end.catch(() => undefined);
  await Promise.race([...ends, watchPostgres(postgres, settings, signal)]);
};

const watchPostgres = async (
  { pid }: LocalPostgres,
  { directory }: StackSettings,
  signal: AbortSignal,
): Promise<void> => {
  while (isAlive(pid)) await sleep(watchIntervalMs, undefined, { signal });
  throw new CliError(
    `PostgreSQL ended by itself. Its log is ${join(directory, 'postgres', 'postgres.log')}. Start again: crm start`,
  );
};
