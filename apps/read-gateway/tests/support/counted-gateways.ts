import { migrate, openAdministrationDatabase } from '@crm/db';
import {
  documentedOperations,
  startGatewayProcess,
  startOwnPostgres,
  type DocumentedOperation,
  type OpenApiDocument,
} from '@crm/testing';
import { createTestOrganization } from '@crm/testing/suites';

/** An operation and the address of its gateway. */
export interface Served extends DocumentedOperation {
  readonly url: string;
}

/** Both gateways as processes on a server that counts statements. */
export type CountedGateways = Awaited<ReturnType<typeof startCountedGateways>>;

/** Starts them with these settings. */
export const startCountedGateways = async (settings: Readonly<Record<string, string>>) => {
  const server = await startOwnPostgres({
    shared_preload_libraries: 'pg_stat_statements',
    // Statements inside a function are not counted separately.
    'pg_stat_statements.track': 'top',
    fsync: 'off',
    full_page_writes: 'off',
  });
  await migrate(server.url);
  const database = openAdministrationDatabase({ url: server.url, applicationName: 'counting-test', maxConnections: 2 });
  await database.pool.query('CREATE EXTENSION pg_stat_statements');
  const organization = await createTestOrganization(database);
  const gateways = await Promise.all(
    (['read-gateway', 'inbound-gateway'] as const).map((app) =>
      startGatewayProcess(app, { DATABASE_URL: server.url, ...settings }),
    ),
  );
  const served: Served[] = [];
  for (const { url } of gateways) {
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
    served.push(...documentedOperations(document).map((operation) => ({ ...operation, url })));
  }
  const stop = async (): Promise<void> => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await database.close();
    await server.stop();
  };
  return {
    organization,
    /** Every operation of both gateways. */
    served,
    /** Resets the counts. */
    forget: () => database.pool.query('SELECT pg_stat_statements_reset()'),
    /**
     * How often each statement has run since the reset, by its text without parameters. The server itself counts, so
     * that no statement is missed.
     */
    statements: async (): Promise<ReadonlyMap<string, number>> => {
      // The search for abandoned rebuilds is that of a timer, not of a request.
      const { rows } = await database.pool.query<{ query: string; calls: number }>(
        `SELECT query, sum(calls)::int AS calls FROM pg_stat_statements
          WHERE query NOT LIKE '%FROM record_rebuilds%' AND query NOT LIKE '%pg_stat_statements%' GROUP BY 1 ORDER BY 1`,
      );
      return new Map(rows.map(({ query, calls }) => [query, calls]));
    },
    stop,
  };
};
