import { randomUUID } from 'node:crypto';
import { administration, changeSetup, createPipelineChanges, openAdministrationDatabase } from '@crm/db';
import { dealRequest } from '../contestants/deal.js';
import { send, startGateway } from '../contestants/gateways.js';
import { type Figure, median } from '../harness/figures.js';
import type { BenchRequest } from '../harness/programs.js';
import { compare, type Contestant } from '../harness/rounds.js';
import type { MeasureGroup } from '../harness/run.js';

const addressOf = (name: string): string => {
  const url = process.env[name] ?? '';
  if (url !== '') return url;
  throw new Error(
    `S17 needs ${name}. Set CITUS_URL to a database after crm distribute, and CITUS_PLAIN_URL to one after crm migrate`,
  );
};

/** The kinds of calls, how many of them a round has, and the most times that they may take on Citus. */
const kinds = [
  { what: 'new deal', count: 100, atMost: 2.5 },
  { what: 'page of 50', count: 100, atMost: 1.6 },
  { what: 'bulk of 100 new accounts', count: 5, atMost: 2 },
] as const;

/** One of the two databases. */
interface Side {
  readonly contestants: readonly Contestant[];
  stop(): Promise<unknown>;
}

let marks = 0;
/** Distinguishes the records of different calls and runs. */
const nextMark = (): string => `${Date.now()}x${(marks += 1)}`;

/** Sets up an organization in a migrated database and starts its gateways. */
const startSide = async (name: string, databaseUrl: string): Promise<Side> => {
  const database = openAdministrationDatabase({ url: databaseUrl, applicationName: 'bench', maxConnections: 1 });
  const { id } = await administration(database).createOrganization({ name: 'Bench' });
  const stages = [{ label: 'New', isDefault: true }];
  const pipelineId = randomUUID();
  const origin = { actor: 'bench', osUser: null, commandId: randomUUID() };
  await changeSetup(database, id, createPipelineChanges(pipelineId, { name: 'Sales' }, stages), origin);
  await database.close();
  const inbound = await startGateway('inbound-gateway', databaseUrl, id);
  // Each start replaces the key of the previous one.
  const read = await startGateway('read-gateway', databaseUrl, id);
  const { headers } = read;
  const bulk = (): string =>
    JSON.stringify({ items: Array.from({ length: 100 }, () => ({ domain: `bench${nextMark()}.com` })) });
  const requests: readonly (() => BenchRequest)[] = [
    () => dealRequest(read, pipelineId, nextMark()),
    () => ({ path: `/v1/opportunities?pipeline_id=${pipelineId}&limit=50`, headers }),
    () => ({ path: '/v1/inbound/accounts/bulk', headers, body: bulk() }),
  ];
  return {
    contestants: requests.map((request, index) => ({
      name,
      run: async () => {
        const times: number[] = [];
        for (let call = 0; call < (kinds[index]?.count ?? 0); call += 1)
          times.push((await send(index === 1 ? read : inbound, request())).ms);
        return median(times);
      },
    })),
    stop: () => Promise.all([inbound.stop(), read.stop()]),
  };
};

/** S17: a Citus coordinator with its workers against one server of the same version, with one caller. */
export const citus: MeasureGroup = {
  ids: ['S17'],
  measure: async (run) => {
    const distributed = await startSide('Citus', addressOf('CITUS_URL'));
    const plain = await startSide('plain PostgreSQL', addressOf('CITUS_PLAIN_URL'));
    try {
      const figures: Figure[] = [];
      for (const [index, { what, atMost }] of kinds.entries()) {
        const [ours, theirs] = [distributed.contestants[index], plain.contestants[index]];
        if (ours === undefined || theirs === undefined) throw new Error(`There is no call for ${what}`);
        // The first calls open connections between the servers, and may time out.
        await ours.run(0).catch(() => undefined);
        figures.push(...(await compare(run, { id: 'S17', what, unit: 'ms', size: run.size, atMost }, [ours, theirs])));
      }
      return figures;
    } finally {
      await Promise.all([distributed.stop(), plain.stop()]);
    }
  },
};
