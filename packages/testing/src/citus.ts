import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { databaseUrl, runStatements, withAdminClient } from './admin-client.js';

/**
 * The address in CITUS_URL, or null if it is unset: a superuser's address of a database with the extension, on a
 * coordinator with workers. If it is set, the databases of the test run are distributed.
 */
export function readCitusUrl(): string | null {
  const url = process.env['CITUS_URL'];
  return url === undefined || url === '' ? null : url;
}

const citusShards = '4';
const crm = new URL('../../cli/bin/crm.js', import.meta.url).pathname;
const runFile = promisify(execFile);

interface Node {
  readonly host: string;
  readonly port: number;
}

const workerNodes = (url: string): Promise<Node[]> =>
  withAdminClient(url, async (client) => {
    const text = 'SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid <> 0 ORDER BY nodeid';
    return (await client.query<Node>(text)).rows;
  });

const urlOf = (url: string, { host, port }: Node): string => {
  const other = new URL(url);
  other.host = `${host}:${port}`;
  return other.href;
};

/** The addresses of all servers that hold a test's database. With Citus, the coordinator comes first. */
export async function testServerUrls(url: string): Promise<string[]> {
  return readCitusUrl() === null ? [url] : [url, ...(await workerNodes(url)).map((node) => urlOf(url, node))];
}

/**
 * The address of the server that runs the writes of an organization and so has their locks: the test's server, or with Citus the worker
 * with the organization's shards.
 */
export async function writeServerUrl(url: string, organizationId: string): Promise<string> {
  if (readCitusUrl() === null) return url;
  const text = `SELECT nodename AS host, nodeport AS port FROM pg_dist_shard_placement
    WHERE shardid = get_shard_id_for_distribution_column('accounts', $1::uuid)`;
  const { rows } = await withAdminClient(url, (client) => client.query<Node>(text, [organizationId]));
  if (rows[0] === undefined) throw new Error(`no server has the shards of the organization ${organizationId}`);
  return urlOf(url, rows[0]);
}

/**
 * Stores the passwords of roles on all servers of a database, which connect to each other as the role of the session. Does nothing
 * without Citus.
 * @param passwords - by the name of the role
 */
export async function storePasswords(url: string, passwords: Readonly<Record<string, string>>): Promise<void> {
  if (readCitusUrl() === null) return;
  const text = 'INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo) VALUES (0, $1, $2)';
  for (const server of await testServerUrls(url))
    await withAdminClient(server, async (client) => {
      for (const [name, password] of Object.entries(passwords))
        await client.query(text, [name, `password=${password}`]);
    });
}

/**
 * Joins the databases of this name on all servers into one Citus database: creates the extension on each and adds the workers to the
 * coordinator.
 */
export async function joinServers(serverUrl: string, database: string): Promise<void> {
  const workers = await workerNodes(serverUrl);
  for (const server of await testServerUrls(serverUrl))
    await runStatements(databaseUrl(server, database), 'CREATE EXTENSION citus');
  await withAdminClient(databaseUrl(serverUrl, database), async (client) => {
    const { hostname, port } = new URL(serverUrl);
    await client.query('SELECT citus_set_coordinator_host($1, $2)', [hostname, Number(port)]);
    for (const { host, port: workerPort } of workers)
      await client.query('SELECT citus_add_node($1, $2)', [host, workerPort]);
  });
}

/** Distributes a migrated database as an operator does. Skips a database without tables. */
export async function distributeDatabase(url: string): Promise<void> {
  const { rows } = await withAdminClient(url, (client) =>
    client.query<{ exists: boolean }>(`SELECT to_regclass('function_versions') IS NOT NULL AS exists`),
  );
  if (rows[0]?.exists !== true) return;
  await runFile(process.execPath, [crm, 'distribute', '--shards', citusShards, '--database-url', url]);
}
