import {
  connectionAdvice,
  describeUnmet,
  findPoolerFaults,
  inspectDistribution,
  inspectSchema,
  inspectServer,
  inspectUpkeep,
  isolationLevel,
  openDatabase,
  readSessionFacts,
  readWebhookStates,
  type Database,
  type WebhookState,
} from '@crm/db';

import { databaseError, shownDatabase } from '../administration/session.js';
import { checkConnections, checkServer } from './check-server.js';
import { checkUpkeep } from './check-upkeep.js';
import { checkDistribution } from './check-distribution.js';
import { ok, problem, warning, type Finding } from './finding.js';

const replicaToleranceMs = 10_000;

const withDatabase = async (
  check: string,
  url: string,
  work: (database: Database) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> => {
  const database = openDatabase({ url, applicationName: 'crm-doctor', maxConnections: 1 });
  try {
    await database.ping();
    return [ok(check, `${shownDatabase(url)} answers`), ...(await work(database))];
  } catch (error) {
    const advice =
      connectionAdvice(error) ??
      'Check the address, the password, pg_hba.conf and the network, then run crm doctor again';
    return [problem(check, (await databaseError(error, url)).message, `${advice}.`)];
  } finally {
    await database.close();
  }
};

const checkMigrations = async (check: string, database: Database, advice: string): Promise<Finding> => {
  const { pending, newer, unmet } = await inspectSchema(database);
  if (unmet.length > 0) {
    const message = `the database is too new for this version: ${describeUnmet(unmet)}`;
    return problem(
      check,
      message,
      'Replace the gateways of this version with newer ones, and do not restart them before that.',
    );
  }
  if (pending.length > 0)
    return problem(check, `${pending.length} not applied, the first is ${pending[0] ?? ''}`, advice);
  if (newer.length === 0) return ok(check, 'the tables match this version');
  const message = `the database has migrations of a newer version (${newer.join(', ')}), which this version supports`;
  return warning(check, message, 'Finish the upgrade: replace the remaining gateways of this version.');
};

/** Checks session features that a connection pooler may break. */
const checkSession = async (database: Database): Promise<readonly Finding[]> => {
  const { limits, isolation, statements } = findPoolerFaults(await readSessionFacts(database));
  const found = (check: string, fault: typeof limits, text: string): Finding =>
    fault === null ? ok(check, text) : problem(check, fault.message, `To do: ${fault.advice}.`);
  return [
    found('time limits', limits, 'the time limits of statements apply'),
    found('isolation', isolation, `transactions are ${isolationLevel}`),
    found('pooler', statements, 'prepared statements work'),
  ];
};

/** Checks a Citus database. Skipped on tables of another version, which may lack the functions that are checked. */
const checkCitus = async (database: Database, migrations: Finding): Promise<readonly Finding[]> => {
  const facts = migrations.status === 'problem' ? null : await inspectDistribution(database);
  return facts === null ? [] : checkDistribution(facts);
};

const webhookToleranceSeconds = 60;
const mostWebhooks = 5;

const faultOf = ({ state, state_reason: reason, oldest_seconds: seconds }: WebhookState): string | null => {
  if (state === 'disabled') return `is disabled: ${reason ?? 'unknown reason'}`;
  if (state === 'paused' || seconds <= webhookToleranceSeconds) return null;
  return `has an event that was not delivered for ${Math.round(seconds / 60)} minutes`;
};

/** Checks whether webhooks are disabled or have old events to deliver. */
export const checkWebhooks = (states: readonly WebhookState[]): readonly Finding[] => {
  const faults = states.flatMap((webhook) => {
    const fault = faultOf(webhook);
    return fault === null ? [] : [`${webhook.id} ${fault}`];
  });
  const more = faults.length > mostWebhooks ? `, and ${faults.length - mostWebhooks} more` : '';
  const advice =
    'Check that the webhook worker runs, then see crm api GET /v1/webhooks/ID/attempts and docs/how-to/repair-a-webhook.md.';
  if (faults.length > 0) return [warning('webhooks', `${faults.slice(0, mostWebhooks).join(', ')}${more}`, advice)];
  return states.length === 0 ? [] : [ok('webhooks', `${states.length}, no event waits long`)];
};

/** The settings of the gateways that the database must fit: the number of processes, and the pool size of one of each. */
export interface GatewaySizes {
  /** `EVENT_RETENTION_DAYS`; 0 means forever. */
  readonly eventRetentionDays: number;
  readonly perProcess: readonly (number | undefined)[];
  readonly processes: number;
}

/** Checks the primary: connection, server, tables, upkeep, and whether the connection pools fit. */
export const checkPrimary = (url: string, sizes: GatewaySizes): Promise<readonly Finding[]> =>
  withDatabase('database', url, async (database) => {
    const askedAtMs = Date.now();
    const facts = await inspectServer(database);
    const migrations = await checkMigrations('migrations', database, 'Run: crm migrate');
    return [
      ...checkServer(facts, askedAtMs, Date.now()),
      ...(await checkSession(database)),
      migrations,
      ...(await checkCitus(database, migrations)),
      ...(migrations.status === 'problem'
        ? []
        : [
            ...checkWebhooks(await readWebhookStates(database)),
            checkUpkeep(await inspectUpkeep(database, sizes.eventRetentionDays)),
          ]),
      checkConnections(facts, sizes.perProcess, sizes.processes),
    ];
  });

/** Checks the read gateway's replica: connection, role, tables and replication lag. */
export const checkReplica = (url: string): Promise<readonly Finding[]> =>
  withDatabase('replica', url, async (database) => {
    const { isInRecovery, replayLagMs } = await inspectServer(database);
    const tables = await checkMigrations(
      'replica tables',
      database,
      'Wait until it has caught up, or rebuild it from the primary.',
    );
    if (!isInRecovery || replayLagMs === null) {
      const advice = 'Point READ_DATABASE_URL at a streaming replica of DATABASE_URL, or unset it.';
      return [tables, problem('replica role', 'READ_DATABASE_URL is not a replica', advice)];
    }
    const seconds = (replayLagMs / 1000).toFixed(1);
    if (replayLagMs <= replicaToleranceMs) return [tables, ok('replica lag', `${seconds} s`)];
    const advice = 'Readers see old records. Check its load, its network and pg_stat_replication on the primary.';
    return [tables, warning('replica lag', `${seconds} s`, advice)];
  });
