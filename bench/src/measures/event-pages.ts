import { openAdministrationDatabase, readEvents } from '@crm/db';
import { captureStatement } from '../contestants/capture-statement.js';
import { compareWithBareServer } from '../contestants/contestant-set.js';
import { type Gateway, startGateway } from '../contestants/gateways.js';
import { type PageFixture, pageScope } from '../contestants/page.js';
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
       INSERT INTO event_heads (organization_id, position, oldest_position, bytes) SELECT $1, count(*), 1, 0 FROM changes
       ON CONFLICT (organization_id) DO UPDATE SET position = excluded.position`,
      [organizationId, loggedOpportunities],
    );
    await database.pool.query('ANALYZE events');
  } finally {
    await database.close();
  }
};

const readFixture = async (gateway: Gateway, url: string, organizationId: string): Promise<PageFixture> => {
  const path = `/v1/events?after=${asked.after}&limit=${limit}`;
  const response = await fetch(`${gateway.url}${path}`, { headers: gateway.headers });
  const body = await response.text();
  const { statement, result } = await captureStatement(
    url,
    async () => (queries) => readEvents(queries, { organizationId, ...asked }),
  );
  const joined = result.events.map(String).join(',');
  const from = body.indexOf(joined);
  if (response.status !== 200 || from === -1)
    throw new Error(`The gateway did not answer the page: ${response.status} ${body.slice(0, 300)}`);
  return {
    ...{ limit, path, body, head: body.slice(0, from), tail: body.slice(from + joined.length) },
    ...{ text: `SELECT p.record_bytes FROM (${statement.text}) p`, values: [organizationId, ...statement.values] },
  };
};

/** S15: a page of the change log against the bare server of S1, which sends the same statement and the same bytes. */
export const eventPages: MeasureGroup = {
  ids: ['S15'],
  measure: async (run) => {
    const { size } = run;
    const { organizationId } = pageScope(size);
    const url = await run.server.copy(await run.server.database(size));
    await fillLog(url, organizationId);
    const gateway = await startGateway('read-gateway', url, organizationId);
    try {
      const page = await readFixture(gateway, url, organizationId);
      const figure = { id: 'S15', name: `page of ${limit} events`, target };
      return await compareWithBareServer(run, figure, gateway, url, page);
    } finally {
      await gateway.stop();
      await run.server.dropCopy(url);
    }
  },
};
