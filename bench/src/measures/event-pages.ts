import { openAdministrationDatabase, readEvents, type TenantStatement } from '@crm/db';
import { type Gateway, startGateway } from '../contestants/gateways.js';
import { type PageFixture, pageScope } from '../contestants/page.js';
import {
  describeOutcome,
  differs,
  readBody,
  served,
  ContestantSet,
  startPageServer,
} from '../contestants/contestant-set.js';
import { alternate, ratios } from '../harness/rounds.js';
import type { MeasureGroup } from '../harness/run.js';

const limit = 500;
/** The share of the bare server's rate that the gateway must reach. */
const target = 0.6;
const asked = { after: 1_000, limit, object: null, type: null, recordId: null };

/** The number of opportunities with events, so that a page is a small part of the log. */
const loggedOpportunities = 20_000;

/** Adds events to the organization: opportunities that were created and then changed. */
const fillLog = async (url: string, organizationId: string): Promise<void> => {
  const database = openAdministrationDatabase({ url, applicationName: 'bench', maxConnections: 1 });
  try {
    await database.pool.query(
      `WITH changes AS (
         SELECT o.*, kind, row_number() OVER (ORDER BY kind, o.id) AS position,
                opportunity_event_record(o, '{}') AS event_record
           FROM (SELECT * FROM opportunities WHERE organization_id = $1 LIMIT $2) o, unnest(ARRAY['created', 'updated']) kind), appended AS (
         INSERT INTO events (organization_id, position, occurred_at, id, type, object, record_id, version, request_id, record, previous, changed, bytes)
         SELECT organization_id, position, now(), gen_random_uuid(), 'opportunity.' || kind, 'opportunity', id, version,
                'bench-' || position, event_record, CASE kind WHEN 'updated' THEN '{"next_step": "Call"}'::jsonb END,
                CASE kind WHEN 'updated' THEN '{next_step}'::text[] ELSE '{}' END, octet_length(event_record::text) FROM changes)
       INSERT INTO event_heads (organization_id, position, oldest_position) SELECT $1, count(*), 1 FROM changes
       ON CONFLICT (organization_id) DO UPDATE SET position = excluded.position`,
      [organizationId, loggedOpportunities],
    );
    await database.pool.query('ANALYZE events');
  } finally {
    await database.close();
  }
};

/** The statement of the page, reduced to the bytes of its events. */
const captureStatement = async (url: string, organizationId: string) => {
  const database = openAdministrationDatabase({ url, applicationName: 'bench', maxConnections: 1 });
  const statements: TenantStatement[] = [];
  try {
    const { events } = await readEvents(
      {
        query: (id, statement) => {
          statements.push(statement);
          return database.query(id, statement);
        },
      },
      { organizationId, ...asked },
    );
    const [statement, ...others] = statements;
    if (statement === undefined || others.length > 0)
      throw new Error('A page of events is expected to be one statement');
    const text = `SELECT p.record_bytes FROM (${statement.text}) p`;
    return { text, values: [organizationId, ...statement.values], joined: events.map(String).join(',') };
  } finally {
    await database.close();
  }
};

const readFixture = async (gateway: Gateway, url: string, organizationId: string): Promise<PageFixture> => {
  const path = `/v1/events?after=${asked.after}&limit=${limit}`;
  const response = await fetch(`${gateway.url}${path}`, { headers: gateway.headers });
  const body = await response.text();
  const { text, values, joined } = await captureStatement(url, organizationId);
  const from = body.indexOf(joined);
  if (response.status !== 200 || from === -1)
    throw new Error(`The gateway did not answer the page: ${response.status} ${body.slice(0, 300)}`);
  return { limit, path, body, head: body.slice(0, from), tail: body.slice(from + joined.length), text, values };
};

/** S15: a page of the change log against the bare server of S1, which sends the same statement and the same bytes. */
export const eventPages: MeasureGroup = {
  ids: ['S15'],
  measure: async (run) => {
    const { size, log } = run;
    const { organizationId } = pageScope(size);
    const url = await run.server.copy(await run.server.database(size));
    await fillLog(url, organizationId);
    const gateway = await startGateway('read-gateway', url, organizationId);
    const set = new ContestantSet();
    try {
      const page = await readFixture(gateway, url, organizationId);
      log(`page of ${limit} events, ${page.body.length} bytes`);
      set.contestants.push(served('gateway', gateway, { path: page.path, headers: gateway.headers }));
      const server = await startPageServer('bare-page-server', url, page, size);
      set.addServer('bare', server, { path: page.path });
      if ((await readBody(server, { path: page.path })) !== page.body) throw differs('The bare server');
      const outcomes = await alternate(set.contestants, run, describeOutcome);
      const perSecond = (name: string): number[] => (outcomes.get(name) ?? []).map((outcome) => outcome.perSecond);
      const [ours, bare] = [perSecond('gateway'), perSecond('bare')];
      const name = (figure: string): string => `page of ${limit} events: ${figure}`;
      return [
        { id: 'S15', name: name('gateway'), values: ours, unit: 'pages/s', size },
        { id: 'S15', name: name('bare node:http and postgres.js'), values: bare, unit: 'pages/s', size },
        {
          ...{ id: 'S15', name: name('gateway against bare node:http and postgres.js'), values: ratios(ours, bare) },
          ...{ unit: '×', size, target: { at: 'least', value: target } },
        },
      ];
    } finally {
      await set.stop();
      await gateway.stop();
      await run.server.dropCopy(url);
    }
  },
};
