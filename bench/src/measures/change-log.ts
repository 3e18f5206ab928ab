import { loadSetup, openDatabase } from '@crm/db';
import type pg from 'pg';
import { dealSql } from '../contestants/deal.js';
import { organizationLayout, organizationLayouts } from '../dataset/layout.js';
import { insertOrganization } from '../dataset/setup-rows.js';
import { runPgbench } from '../harness/programs.js';
import { compare, type Contestant } from '../harness/rounds.js';
import { type MeasureGroup, withCopy } from '../harness/run.js';
import { withClient } from '../harness/with-client.js';

/** As many connections as organizations, which is more than the machine has cores. */
const organizations = 16;

/**
 * The functions that a new deal runs for the log: they create event records and append them with
 * positions from the organization's counter.
 */
const logFunctions = [
  'account_event_record',
  'contact_event_record',
  'opportunity_event_record',
  'created_event',
  'append_events',
];

/** The statements that replace the functions of the log with empty ones, and those that restore them. */
const readSwitches = async (client: pg.Client): Promise<Readonly<Record<'on' | 'off', string>>> => {
  const { rows } = await client.query<{ definition: string; body: string; result: string }>(
    `SELECT pg_get_functiondef(p.oid) AS definition, p.prosrc AS body, p.prorettype::regtype::text AS result
       FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY ($1)`,
    [logFunctions],
  );
  if (rows.length !== logFunctions.length)
    throw new Error(`These functions must all exist exactly once: ${logFunctions.join(', ')}`);
  const emptied = rows.map(({ definition, body, result }) =>
    definition.replace(body, () => (result === 'void' ? ' BEGIN END ' : ' BEGIN RETURN NULL; END ')),
  );
  return { on: rows.map(({ definition }) => definition).join(';\n'), off: emptied.join(';\n') };
};

/** The statement that creates a deal in each organization, also in those that the data does not have. */
const readDealSql = async (client: pg.Client, url: string, size: number): Promise<string[]> => {
  for (let number = organizationLayouts(size).length + 1; number <= organizations; number += 1)
    await insertOrganization(client, organizationLayout(number, 0));
  const database = openDatabase({ url, applicationName: 'bench', maxConnections: 1 });
  const sql: string[] = [];
  for (let number = 1; number <= organizations; number += 1) {
    const { id, pipelineIds } = organizationLayout(number, 0);
    sql.push(dealSql(await loadSetup(database, id), pipelineIds[0]));
  }
  await database.close();
  return sql;
};

/**
 * S13: new deals with the change log on and off. When it is off, the functions of the log do nothing. pgbench calls the
 * same function as the gateway. A gateway itself would take most of the CPU and hide part of the cost of the log.
 */
export const changeLog: MeasureGroup = {
  ids: ['S13'],
  measure: (run) =>
    withCopy(run, run.size, (url) =>
      withClient(url, async (client) => {
        const switches = await readSwitches(client);
        const all = await readDealSql(client, url, run.size);
        const create = (name: string, state: 'on' | 'off', sql: readonly string[]): Contestant => ({
          name,
          run: async (seconds) => {
            await client.query(switches[state]);
            return runPgbench({ databaseUrl: url, sql, seconds, connections: organizations });
          },
        });
        const measure = (where: string, sql: readonly string[], atLeast: number) =>
          compare(run, { id: 'S13', what: `new deals in ${where}`, unit: 'calls/s', size: run.size, atLeast }, [
            create('with the log', 'on', sql),
            create('without it', 'off', sql),
          ]);
        return [
          ...(await measure('16 organizations', all, 0.85)),
          ...(await measure('one organization', all.slice(0, 1), 0.7)),
        ];
      }),
    ),
};
