import { readFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { opportunityCreate, type OrganizationSetup } from '@crm/db';
import { changeOf } from '@crm/domain';
import type pg from 'pg';
import { dealRequest } from '../contestants/deal.js';
import { type Gateway, startUnsharedGateway, withGateway } from '../contestants/gateways.js';
import { organizationLayout } from '../dataset/layout.js';
import type { Figure } from '../harness/figures.js';
import { sendLoad } from '../harness/programs.js';
import { compare, type Contestant } from '../harness/rounds.js';
import { type MeasureGroup, type Run, withCopy } from '../harness/run.js';
import { withClient } from '../harness/with-client.js';
import { withSubject } from '../query-plans/measure-shape.js';

const callSize = 100;
/** The deals of one `INSERT … SELECT`. */
const floorSize = 1_000;

let lastMark = Date.now();

const inputOf = (setup: OrganizationSetup, pipelineId: string): string => {
  const pipeline = setup.findPipeline(pipelineId);
  if (pipeline === undefined) throw new Error('The pipeline does not exist');
  const mark = (lastMark += 1);
  const deal = changeOf('opportunity', {
    ...{ name: `Deal ${mark}`, amount: 1200, account_domain: `bulk${mark}.com` },
    ...{ contact_email: `first@bulk${mark}.com`, additional_contacts: [`second@bulk${mark}.com`] },
  });
  return JSON.stringify(opportunityCreate(setup, pipeline, deal, 'keep').input);
};

const createDeals = async (client: pg.Client, setup: OrganizationSetup, pipelineId: string): Promise<void> => {
  const items = Array.from({ length: callSize }, (_, n) => `{"index":${n},"input":${inputOf(setup, pipelineId)}}`);
  const input = `{"function":"create_opportunity","items":[${items.join()}],"answers":{}}`;
  const text = 'SELECT refusal FROM write($1, $2, $3, NULL, NULL)';
  const { rows } = await client.query<{ refusal: unknown }>({
    name: 'bulk',
    text,
    values: [setup.organizationId, 'write_many', input],
  });
  if (rows[0]?.refusal !== null) throw new Error(`The call was refused: ${JSON.stringify(rows[0])}`);
};

/** The processor time of the server's process of a connection, in ms; on Linux only. */
const processorMs = async (pid: number): Promise<number> =>
  Number((await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ')[0]) / 1e6;

/** The tables in which a deal has rows, with the condition of the newest deals. */
const copied: Readonly<Record<string, string>> = {
  accounts: `id IN (SELECT account_id FROM newest) ORDER BY domain`,
  contacts: `account_id IN (SELECT account_id FROM newest) ORDER BY email`,
  opportunities: `id IN (SELECT id FROM newest) ORDER BY pipeline_id, account_key, name`,
  opportunity_contacts: `opportunity_id IN (SELECT id FROM newest)`,
  events: `position > (SELECT position - 4 * ${floorSize} FROM event_heads WHERE organization_id = $1) ORDER BY position`,
};

/** Copies the rows of the newest deals to temporary tables. */
const copyDeals = async (client: pg.Client, organizationId: string): Promise<void> => {
  const copy = (name: string, text: string) =>
    client.query(`CREATE TEMPORARY TABLE ${name} AS ${text.replaceAll('$1', `'${organizationId}'`)}`);
  const newest = `ORDER BY created_at DESC, id DESC LIMIT ${floorSize}`;
  await copy('newest', `SELECT id, account_id FROM opportunities WHERE organization_id = $1 ${newest}`);
  for (const [table, condition] of Object.entries(copied))
    await copy(`copy_of_${table}`, `SELECT * FROM ${table} WHERE organization_id = $1 AND ${condition}`);
};

/** Creates an organization with the pipelines of another one, and gives it the copied deals. @returns the processor time for each */
const insertCopies = async (client: pg.Client, pid: number, organizationId: string): Promise<number> => {
  const id = randomUUID();
  const values = [organizationId, id];
  const clone = (table: string, column: string) =>
    client.query(
      `INSERT INTO ${table} SELECT r.* FROM ${table} t, jsonb_populate_record(t, jsonb_build_object('${column}', $2::text)) r WHERE t.${column} = $1::uuid`,
      values,
    );
  await clone('organizations', 'id');
  for (const table of ['pipelines', 'stages', 'members']) await clone(table, 'organization_id');
  for (const table of Object.keys(copied)) await client.query(`UPDATE copy_of_${table} SET organization_id = '${id}'`);
  const before = await processorMs(pid);
  await client.query('BEGIN');
  for (const table of Object.keys(copied)) await client.query(`INSERT INTO ${table} SELECT * FROM copy_of_${table}`);
  await client.query('COMMIT');
  return ((await processorMs(pid)) - before) / floorSize;
};

const measureFloor = (run: Run, url: string): Promise<readonly Figure[]> =>
  withSubject(url, run.size, ({ setup, organization: { id, pipelineIds } }) =>
    withClient(url, async (client) => {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const pid = rows[0]?.pid ?? 0;
      for (let n = 0; n < floorSize / callSize; n += 1) await createDeals(client, setup, pipelineIds[0]);
      await copyDeals(client, id);
      const bulk: Contestant = {
        name: 'bulk calls',
        run: async () => {
          const before = await processorMs(pid);
          for (let n = 0; n < floorSize / callSize; n += 1) await createDeals(client, setup, pipelineIds[0]);
          return ((await processorMs(pid)) - before) / floorSize;
        },
      };
      const floor: Contestant = { name: 'INSERT … SELECT', run: () => insertCopies(client, pid, id) };
      const what = 'processor time of PostgreSQL for a new deal';
      return compare(run, { id: 'S8B', what, unit: 'ms', size: run.size, atMost: 1.4 }, [bulk, floor]);
    }),
  );

const measureRates = async (run: Run, url: string, gateway: Gateway): Promise<readonly Figure[]> => {
  const [pipelineId] = organizationLayout(1, run.size).pipelineIds;
  const unshared = await startUnsharedGateway(url, gateway);
  const single = (callers: number, to: Gateway): Contestant => ({
    name: `single creates by ${callers}${to === gateway ? '' : ', each in a call of its own'}`,
    run: (seconds) => sendLoad(to.url, dealRequest(to, pipelineId, `${(lastMark += 1)}x{n}`), seconds, callers),
  });
  const bulk = (callers: number): Contestant => ({
    name: `bulk calls of ${callSize} by ${callers}`,
    run: async (seconds) => {
      const { path, headers, body } = dealRequest(gateway, pipelineId, `${(lastMark += 1)}x{n}y0`);
      const items = Array.from({ length: callSize }, (_, n) => body.replaceAll('{n}y0', `{n}y${n}`));
      const request = { path: `${path}/bulk`, headers, body: `{"items":[${items.join()}]}` };
      return callSize * (await sendLoad(gateway.url, request, seconds, callers));
    },
  });
  const common = { id: 'S8C', what: 'new deals', unit: 'deals/s', size: run.size };
  const figures = [
    ...(await compare(run, { ...common, atLeast: 3.5 }, [bulk(1), single(16, unshared)])),
    ...(await compare(run, { ...common, atLeast: 5 }, [bulk(4), single(16, unshared)])),
    ...(await compare(run, { ...common, atLeast: 2.2 }, [single(16, gateway), single(16, unshared)])),
    ...(await compare(run, { ...common, atLeast: 3 }, [single(64, gateway), single(64, unshared)])),
  ];
  await unshared.stop();
  return figures;
};

/** S8B and S8C: bulk calls that create deals, against `INSERT … SELECT` of the same rows, and creates that share calls, against single calls. */
export const bulk: MeasureGroup = {
  ids: ['S8B', 'S8C'],
  measure: (run) =>
    withCopy(run, run.size, async (url) => [
      ...(run.wants('S8B') ? await measureFloor(run, url) : []),
      ...(run.wants('S8C')
        ? await withGateway('inbound-gateway', url, organizationLayout(1, run.size).id, (gateway) =>
            measureRates(run, url, gateway),
          )
        : []),
    ]),
};
