import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type CitusSide, startCitusSide } from '../contestants/citus-side.js';
import { ratios } from '../harness/rounds.js';
import type { MeasureGroup, Run } from '../harness/run.js';
import { median } from '../harness/statistics.js';
import type { NewMeasure } from '../harness/results.js';

const addressOf = (name: string): string => {
  const url = process.env[name];
  if (url === undefined || url === '')
    throw new Error(
      `S17 needs ${name}. Set CITUS_URL to a database after crm distribute, and CITUS_PLAIN_URL to one after crm migrate`,
    );
  return url;
};

const kinds = [
  { key: 'creates', name: 'new deal', bound: 2.5 },
  { key: 'pages', name: 'page of 50', bound: 1.6 },
  { key: 'bulks', name: 'bulk of 100 new accounts', bound: 2 },
] as const;

/** Measures each kind of call with one caller: the median of every round. The two sides alternate. */
const compare = async (plain: CitusSide, citus: CitusSide, { rounds, size, log }: Run): Promise<NewMeasure[]> => {
  const measures: NewMeasure[] = [];
  for (const { key, name, bound } of kinds) {
    const found = { plain: [] as number[], citus: [] as number[] };
    // The first calls open connections between the servers, and may time out.
    for (const side of [plain, citus]) await side[key]().catch(() => undefined);
    for (let round = 1; round <= rounds; round += 1) {
      found.plain.push(median(await plain[key]()));
      found.citus.push(median(await citus[key]()));
      log(
        `  ${name}, round ${round}: plain ${found.plain.at(-1)?.toFixed(2)} ms, Citus ${found.citus.at(-1)?.toFixed(2)} ms`,
      );
    }
    const measure = { id: 'S17', unit: 'ms', size };
    measures.push(
      { ...measure, name: `${name}: plain PostgreSQL`, values: found.plain },
      { ...measure, name: `${name}: Citus`, values: found.citus },
      {
        ...{ ...measure, unit: '×', name: `${name}: Citus against plain`, values: ratios(found.citus, found.plain) },
        target: { at: 'most', value: bound },
      },
    );
  }
  return measures;
};

/** The results of calls while shards moved. */
interface Load {
  readonly sent: number;
  readonly others: readonly string[];
  readonly answeredIds: readonly string[];
}

/** Runs four writers of accounts and two readers until a promise is settled. */
const loadUntil = async (side: CitusSide, end: Promise<unknown>): Promise<Load> => {
  let isOver = false;
  const others: string[] = [];
  const answeredIds: string[] = [];
  let sent = 0;
  const call = async (url: string, init: RequestInit): Promise<{ data?: { company_id?: string } } | null> => {
    sent += 1;
    const answer = await fetch(url, init);
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text) as { data?: { company_id?: string } };
    others.push(`${answer.status} ${text.slice(0, 200)}`);
    return null;
  };
  const headers = { ...side.inbound.headers, 'content-type': 'application/json' };
  const write = async (): Promise<void> => {
    while (!isOver) {
      const body = JSON.stringify({ domain: `moved-${randomUUID()}.com` });
      const answer = await call(`${side.inbound.url}/v1/inbound/accounts`, { method: 'POST', headers, body });
      const id = answer?.data?.company_id;
      if (id !== undefined) answeredIds.push(id);
    }
  };
  const read = async (): Promise<void> => {
    while (!isOver) await call(`${side.read.url}/v1/accounts?limit=50`, { headers: side.read.headers });
  };
  const callers = Promise.all([write(), write(), write(), write(), read(), read()]);
  await end.finally(() => {
    isOver = true;
  });
  await callers;
  return { sent, others, answeredIds };
};

const moveSql = `
  SELECT citus_move_shard_placement(s.shardid, n.nodename, n.nodeport, t.nodename, t.nodeport, 'force_logical')
    FROM (SELECT get_shard_id_for_distribution_column('accounts', $1::uuid) AS shardid) s
    JOIN pg_dist_placement p USING (shardid) JOIN pg_dist_node n USING (groupid)
    JOIN LATERAL (SELECT * FROM pg_dist_node o WHERE o.groupid NOT IN (0, n.groupid) AND o.shouldhaveshards LIMIT 1) t ON true`;

const steps: readonly {
  readonly name: string;
  readonly sql: readonly string[];
  readonly bindsOrganization: boolean;
}[] = [
  { name: 'moving the shard', sql: [moveSql], bindsOrganization: true },
  {
    name: 'isolating the organization',
    sql: [`SELECT isolate_tenant_to_new_shard('accounts', $1::uuid, 'CASCADE', 'block_writes')`],
    bindsOrganization: true,
  },
  {
    name: 'emptying a worker and rebalancing',
    sql: [
      `SELECT citus_drain_node(n.nodename, n.nodeport) FROM (SELECT * FROM pg_dist_node WHERE groupid <> 0 ORDER BY nodeid DESC LIMIT 1) n`,
      `SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true) FROM pg_dist_node WHERE groupid <> 0`,
      `SELECT citus_rebalance_start(rebalance_strategy => 'by_shard_count')`,
      'SELECT citus_rebalance_wait()',
    ],
    bindsOrganization: false,
  },
];

/** Moves shards under load. Counts responses other than 2xx, and records that were confirmed but are missing. */
const move = async (url: string, side: CitusSide, { size, log }: Run): Promise<NewMeasure[]> => {
  const client = new pg.Client({ connectionString: url, application_name: 'bench' });
  await client.connect();
  const measures: NewMeasure[] = [];
  try {
    for (const { name, sql, bindsOrganization } of steps) {
      const from = performance.now();
      const run = async (): Promise<void> => {
        for (const text of sql) await client.query(text, bindsOrganization ? [side.organizationId] : []);
      };
      const { sent, others, answeredIds } = await loadUntil(side, run());
      const { rows } = await client.query<{ id: string }>('SELECT id FROM accounts WHERE organization_id = $1', [
        side.organizationId,
      ]);
      const stored = new Set(rows.map(({ id }) => id));
      const lost = answeredIds.filter((id) => !stored.has(id)).length;
      const seconds = ((performance.now() - from) / 1000).toFixed(1);
      log(
        `  ${name}: ${seconds} s, ${sent} calls, ${answeredIds.length} created, ${others.length} refused, ${lost} lost`,
      );
      for (const text of new Set(others)) log(`    ${text}`);
      const target = { at: 'most', value: 0 } as const;
      const measure = { id: 'S17', unit: '', size, target, detail: `${sent} calls in ${seconds} s` };
      measures.push(
        { ...measure, name: `answers other than 2xx while ${name}`, values: [others.length] },
        { ...measure, name: `lost writes while ${name}`, values: [lost] },
      );
    }
  } finally {
    await client.end();
  }
  return measures;
};

/** S17: a Citus coordinator with its workers against one server of the same version, and moves of shards under load. */
export const citus: MeasureGroup = {
  ids: ['S17'],
  measure: async (run) => {
    const url = addressOf('CITUS_URL');
    const plain = await startCitusSide(addressOf('CITUS_PLAIN_URL'));
    const distributed = await startCitusSide(url);
    try {
      return [...(await compare(plain, distributed, run)), ...(await move(url, distributed, run))];
    } finally {
      await Promise.all([plain.stop(), distributed.stop()]);
    }
  },
};
