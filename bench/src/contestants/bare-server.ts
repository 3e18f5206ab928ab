import { fileURLToPath } from 'node:url';
import type { AdministrationDatabase, TenantStatement } from '@crm/db';
import type { Figure } from '../harness/figures.js';
import { sendLoad } from '../harness/programs.js';
import { compare } from '../harness/rounds.js';
import type { Run } from '../harness/run.js';
import { type ServerProcess, startServerProcess } from '../harness/server-process.js';
import { type Gateway, send } from './gateways.js';

/** The first page of a list, and everything that another server needs to send the same. */
export interface PageFixture {
  readonly path: string;
  /** The response body of the gateway. */
  readonly body: string;
  /** The texts before the first record and after the last. */
  readonly head: string;
  readonly tail: string;
  /** A statement whose only value is the joined records. */
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Runs `work` and returns its result, and the only statement that it sent.
 * @throws Error if it sent several statements or none
 */
export const captureStatement = async <T>(
  database: AdministrationDatabase,
  work: (database: AdministrationDatabase) => Promise<T>,
): Promise<{ readonly statement: TenantStatement; readonly result: T }> => {
  const statements: TenantStatement[] = [];
  const query: AdministrationDatabase['query'] = (organizationId, statement) => {
    statements.push(statement);
    return database.query(organizationId, statement);
  };
  const result = await work({ ...database, query });
  const [statement, ...others] = statements;
  if (statement === undefined || others.length > 0) throw new Error(`${statements.length} statements, expected one`);
  return { statement, result };
};

/**
 * Splits the response of a gateway around its records.
 * @throws Error if it does not contain the records
 */
export const splitPage = async (
  gateway: Gateway,
  path: string,
  records: readonly unknown[],
): Promise<Pick<PageFixture, 'path' | 'body' | 'head' | 'tail'>> => {
  const { text: body } = await send(gateway, { path, headers: gateway.headers });
  const joined = records.map(String).join(',');
  const from = body.indexOf(joined);
  if (joined === '' || from === -1) throw new Error(`The gateway did not answer the page: ${body.slice(0, 300)}`);
  return { path, body, head: body.slice(0, from), tail: body.slice(from + joined.length) };
};

/** Starts a script of `bench/src/servers` in its own process. */
export const startPeer = (
  name: string,
  environment: Readonly<Record<string, string>>,
  readyPath: string,
): Promise<ServerProcess> =>
  startServerProcess(name, fileURLToPath(new URL(`../servers/${name}.js`, import.meta.url)), environment, readyPath);

/**
 * Measures a page of the gateway and of the bare server in turn.
 * @throws Error if the bare server does not send the same bytes
 */
export const compareWithBareServer = async (
  run: Run,
  figure: { readonly id: string; readonly what: string; readonly atLeast: number },
  gateway: Gateway,
  databaseUrl: string,
  page: PageFixture,
): Promise<Figure[]> => {
  const { path, body, ...parts } = page;
  const environment = { DATABASE_URL: databaseUrl, PAGE: JSON.stringify(parts) };
  const bare = await startPeer('bare-page-server', environment, path);
  try {
    if ((await send(bare, { path })).text !== body)
      throw new Error('The bare server does not answer the same page: nothing was measured');
    return await compare(run, { ...figure, unit: 'pages/s', size: run.size }, [
      { name: 'gateway', run: (seconds) => sendLoad(gateway.url, { path, headers: gateway.headers }, seconds) },
      { name: 'bare node:http and postgres.js', run: (seconds) => sendLoad(bare.url, { path }, seconds) },
    ]);
  } finally {
    await bare.stop();
  }
};
