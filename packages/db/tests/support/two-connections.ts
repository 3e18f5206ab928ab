import { readTestStack, until, writeServerUrl } from '@crm/testing';
import { type Database, openDatabase } from '../../src/database.js';
import type { useSmallOrganization } from './small-organization.js';

/** Runs two calls of an organization at once, in a known order. */
export const twoConnections = (organization: Pick<ReturnType<typeof useSmallOrganization>, 'organizationId'>) => {
  /** Opens one connection, which runs transactions of its own. */
  const connect = async (): Promise<Database> => {
    const url = await writeServerUrl(readTestStack().databaseUrl, organization.organizationId());
    return openDatabase({
      url,
      applicationName: 'races-test-other',
      maxConnections: 1,
      lockTimeoutMs: 60_000,
      statementTimeoutMs: 60_000,
    });
  };

  /**
   * Starts a second call while the transaction of a first one is open, and ends the transaction when the second one waits for it or has ended.
   * @returns what the second call returned, and whether it waited
   */
  const whileOpen = async <T>(first: (on: Database) => Promise<unknown>, second: (on: Database) => Promise<T>) => {
    const [one, two, watcher] = [await connect(), await connect(), await connect()];
    await one.queryServer({ text: 'BEGIN' });
    await first(one);
    const [holder] = await one.queryServer<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
    let hasEnded = false;
    const running = second(two).finally(() => (hasEnded = true));
    running.catch(() => undefined);
    let hasWaited = false;
    await until(async () => {
      const text = 'SELECT pid FROM pg_stat_activity WHERE $1::int = ANY (pg_blocking_pids(pid))';
      hasWaited ||= (await watcher.queryServer({ text, values: [holder?.pid] })).length > 0;
      return hasWaited || hasEnded;
    }, 5);
    await one.queryServer({ text: 'COMMIT' });
    try {
      return { result: await running, hasWaited };
    } finally {
      await Promise.all([one.close(), two.close(), watcher.close()]);
    }
  };

  return { connect, whileOpen };
};
