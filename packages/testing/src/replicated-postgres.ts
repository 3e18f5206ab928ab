import { runStatements } from './admin-client.js';
import { openDebianPostgres } from './debian-postgres.js';

/** A primary and its streaming replica, on separate servers. */
export interface ReplicatedPostgres {
  readonly primaryUrl: string;
  readonly replicaUrl: string;
  /** Makes the replica apply commits only this many milliseconds after they happened; 0 turns the delay off. */
  setDelay(delayMs: number): Promise<void>;
  /** Ends the replica at once, as in a power failure. `startReplica` starts it again. */
  killReplica(): Promise<void>;
  startReplica(): Promise<void>;
  /** Ends the primary at once, as in a power failure. */
  killPrimary(): Promise<void>;
  /** Makes the replica a primary, and waits until it is one. */
  promoteReplica(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a primary and a replica whose data need not outlive the test. Uses Debian's packages, because the npm package
 * has no `pg_basebackup`.
 * @throws Error that says what to install if it is missing
 */
export const startReplicatedPostgres = async (): Promise<ReplicatedPostgres> => {
  const postgres = await openDebianPostgres();
  await postgres.createCluster('primary');
  const primary = await postgres.serverOn('primary');
  await primary.start();
  const replica = await postgres.serverOn('replica');
  const { hostname, port } = new URL(primary.url);
  const from = ['-h', hostname, '-p', port, '-U', 'postgres', '-D', postgres.dataOf('replica')];
  await postgres.run('pg_basebackup', [...from, '-R', '-X', 'stream', '-c', 'fast', '-N']);
  await replica.start();

  return {
    primaryUrl: primary.url,
    replicaUrl: replica.url,
    setDelay: (delayMs) =>
      runStatements(
        replica.url,
        `ALTER SYSTEM SET recovery_min_apply_delay = ${Math.trunc(delayMs)}`,
        'SELECT pg_reload_conf()',
      ),
    killReplica: () => replica.kill(),
    startReplica: () => replica.start(),
    killPrimary: () => primary.kill(),
    promoteReplica: () => runStatements(replica.url, 'SELECT pg_promote()'),
    stop: () => postgres.remove(),
  };
};
