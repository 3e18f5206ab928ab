import type pg from 'pg';
import type { FunctionSources } from './migrations.js';

/** Where the functions of this version are created to compare them, until the transaction drops it. */
const scratchSchema = 'crm_functions_to_compare';

const createStatement = /^CREATE OR REPLACE FUNCTION [^]*?^\$\$;$/gm;

/** The installed functions whose results, or names of parameters, are others in the scratch schema. */
const changedSql = `
  SELECT format('DROP FUNCTION %s', o.oid::regprocedure) AS text
    FROM pg_proc o JOIN pg_proc n ON n.proname = o.proname AND n.proargtypes = o.proargtypes
   WHERE o.pronamespace = $1::regnamespace AND n.pronamespace = '${scratchSchema}'::regnamespace
     AND (o.prorettype, o.proretset, o.proallargtypes, o.proargmodes, o.proargnames) IS DISTINCT FROM
         (n.prorettype, n.proretset, n.proallargtypes, n.proargmodes, n.proargnames)`;

/** Whether Citus runs statements that define something on all servers. Has no effect without Citus. */
const onAllServers = (isOn: boolean): string => `SET LOCAL citus.enable_ddl_propagation = ${isOn ? 'on' : 'off'}`;

/**
 * Drops the installed write functions that PostgreSQL would not replace by those of this version: it keeps the type of a result and the
 * names of parameters. Runs in the transaction that installs the functions, so running gateways always find one or the other. With Citus,
 * compares them on the coordinator and drops them on all servers.
 */
export const dropChangedFunctions = async (client: pg.Client, { sql }: FunctionSources): Promise<void> => {
  const { rows: places } = await client.query<{ schema: string; path: string }>(
    `SELECT current_schema() AS schema, current_setting('search_path') AS path`,
  );
  const [{ schema, path } = { schema: 'public', path: 'public' }] = places;
  await client.query(onAllServers(false));
  await client.query(`CREATE SCHEMA ${scratchSchema}`);
  await client.query(`SELECT set_config('search_path', '${scratchSchema}, ' || $1, true)`, [path]);
  await client.query((sql.match(createStatement) ?? []).join('\n'));
  await client.query(`SELECT set_config('search_path', $1, true)`, [path]);
  const { rows } = await client.query<{ text: string }>(changedSql, [schema]);
  await client.query(`DROP SCHEMA ${scratchSchema} CASCADE`);
  await client.query(onAllServers(true));
  for (const { text } of rows) await client.query(text);
};
