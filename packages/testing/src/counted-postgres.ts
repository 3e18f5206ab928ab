import { withAdminClient } from './admin-client.js';
import { startThrowawayPostgres } from './throwaway-postgres.js';

/** A separate server for one test, which counts the statements it runs. */
export interface CountedPostgres {
  /** The address of an empty database. */
  readonly url: string;
  /** Resets the counts. */
  forget(): Promise<void>;
  /** How often each statement has run since the reset, by its text without parameters. */
  statements(): Promise<ReadonlyMap<string, number>>;
  stop(): Promise<void>;
}

const settings = {
  shared_preload_libraries: 'pg_stat_statements',
  // Statements inside a function are not counted separately.
  'pg_stat_statements.track': 'top',
  fsync: 'off',
  full_page_writes: 'off',
};

/** Starts a server with pg_stat_statements. The server itself counts, so that no statement is missed. */
export const startCountedPostgres = async (): Promise<CountedPostgres> => {
  const server = await startThrowawayPostgres({ database: 'crm', settings });
  const { url } = server.current();
  const counterUrl = new URL(url);
  counterUrl.pathname = '/postgres';
  const count = <Row>(text: string): Promise<Row[]> =>
    withAdminClient(counterUrl.href, async (client) => (await client.query(text)).rows as Row[]);
  await count('CREATE EXTENSION pg_stat_statements');
  return {
    url,
    forget: async () => {
      await count('SELECT pg_stat_statements_reset()');
    },
    statements: async () => {
      // The look for abandoned rebuilds is that of a timer, not of a request.
      const rows = await count<{ query: string; calls: number }>(
        `SELECT s.query, sum(s.calls)::int AS calls FROM pg_stat_statements s
           JOIN pg_database d ON d.oid = s.dbid WHERE d.datname = 'crm' AND s.query NOT LIKE '%FROM record_rebuilds%' GROUP BY 1 ORDER BY 1`,
      );
      return new Map(rows.map(({ query, calls }) => [query, calls]));
    },
    stop: () => server.stop(),
  };
};
