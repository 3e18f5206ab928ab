import pg from 'pg';
import { dealSql } from '../contestants/deal.js';
import { runPgbench } from '../contestants/pgbench.js';
import { insertOrganization } from '../dataset/setup-rows.js';
import { organizationLayout, organizationLayouts } from '../dataset/layout.js';
import type { NewMeasure } from '../harness/results.js';
import { alternate, type Contestant, ratios } from '../harness/rounds.js';
import type { MeasureGroup, Run } from '../harness/run.js';

/** More connections than the machine has cores, and at least one for each organization. */
const connections = 16;

/**
 * The number of organizations that get the deals, and the least rate with the log as a share of the rate without it.
 */
const cases = [
  { organizations: 16, name: '16 organizations', target: 0.85 },
  { organizations: 1, name: 'one organization', target: 0.7 },
] as const;

/**
 * The functions that a new deal runs for the log: they create event records, collect them, and append them with
 * positions from the organization's counter.
 */
const logFunctions = [
  'account_event_record',
  'contact_event_record',
  'opportunity_event_record',
  'creation_event',
  'collect_events',
  'append_events',
];

/** A statement that replaces a function of the log, and one that restores it. */
interface Replacement {
  readonly off: string;
  readonly on: string;
}

const readReplacements = async (pool: pg.Pool): Promise<readonly Replacement[]> => {
  const { rows } = await pool.query<{ definition: string; body: string; result: string }>(
    `SELECT pg_get_functiondef(p.oid) AS definition, p.prosrc AS body, p.prorettype::regtype::text AS result
       FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY ($1)`,
    [logFunctions],
  );
  if (rows.length !== logFunctions.length)
    throw new Error(`These functions must all exist exactly once: ${logFunctions.join(', ')}`);
  return rows.map(({ definition, body, result }) => ({
    off: definition.replace(body, () => (result === 'void' ? ' BEGIN END ' : ' BEGIN RETURN NULL; END ')),
    on: definition,
  }));
};

const countEvents = async (pool: pg.Pool): Promise<number> => {
  const { rows } = await pool.query<{ count: number }>('SELECT sum(position)::float8 AS count FROM event_heads');
  return rows[0]?.count ?? 0;
};

/** Creates the organizations that the data does not have. */
const addOrganizations = async (pool: pg.Pool, size: number): Promise<void> => {
  const client = await pool.connect();
  try {
    for (let number = organizationLayouts(size).length + 1; number <= connections; number += 1)
      await insertOrganization(client, organizationLayout(number, 0), false);
  } finally {
    client.release();
  }
};

const toMeasures = (outcomes: Map<string, number[]>, size: number): NewMeasure[] =>
  cases.flatMap(({ name, target }): NewMeasure[] => {
    const [on, off] = ['on', 'off'].map((state) => outcomes.get(`${name}, log ${state}`) ?? []);
    const figure = (text: string): string => `new deals in ${name}: ${text}`;
    return [
      { id: 'S13', name: figure('with the log'), values: on ?? [], unit: 'calls/s', size },
      { id: 'S13', name: figure('without it'), values: off ?? [], unit: 'calls/s', size },
      {
        ...{ id: 'S13', name: figure('with the log against without it'), values: ratios(on ?? [], off ?? []) },
        ...{ unit: '×', target: { at: 'least', value: target }, size },
      },
    ];
  });

const contestantsOf = async (pool: pg.Pool, url: string, { size }: Run): Promise<readonly Contestant[]> => {
  const replacements = await readReplacements(pool);
  return Promise.all(
    cases.flatMap(({ organizations, name }) =>
      (['on', 'off'] as const).map(async (state): Promise<Contestant> => {
        const numbers = Array.from({ length: organizations }, (_, index) => index + 1);
        const sql = await Promise.all(numbers.map((number) => dealSql(url, size, number)));
        return {
          name: `${name}, log ${state}`,
          run: async (seconds) => {
            for (const replacement of replacements) await pool.query(replacement[state]);
            const before = await countEvents(pool);
            const perSecond = await runPgbench({ databaseUrl: url, sql, seconds, connections });
            if ((await countEvents(pool)) > before !== (state === 'on'))
              throw new Error(`The log was not ${state}: nothing was measured`);
            return perSecond;
          },
        };
      }),
    ),
  );
};

/**
 * S13: new deals with the change log on and off. When it is off, the functions of the log do nothing. pgbench calls the
 * same function as the gateway. A gateway itself would take most of the CPU and hide part of the cost of the log.
 */
export const changeLog: MeasureGroup = {
  ids: ['S13'],
  measure: async (run) => {
    const url = await run.server.copy(await run.server.database(run.size));
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    pool.on('error', () => undefined);
    try {
      await addOrganizations(pool, run.size);
      const contestants = await contestantsOf(pool, url, run);
      run.log('The cost of the change log');
      return toMeasures(await alternate(contestants, run), run.size);
    } finally {
      await pool.end();
      await run.server.dropCopy(url);
    }
  },
};
