import { randomUUID } from 'node:crypto';
import { administration, changeSetup, createPipelineChanges, openAdministrationDatabase } from '@crm/db';
import { dealBody } from './deal.js';
import { type Gateway, startGateway } from './gateways.js';
import { sequentialCaller } from './sequential-caller.js';

/** One of the two databases of S17, with an organization and a gateway of each kind. */
export interface CitusSide {
  readonly organizationId: string;
  readonly pipelineId: string;
  readonly inbound: Gateway;
  readonly read: Gateway;
  /** The latencies of one round, in milliseconds. */
  readonly creates: () => Promise<number[]>;
  readonly pages: () => Promise<number[]>;
  readonly bulks: () => Promise<number[]>;
  stop(): Promise<void>;
}

let marks = 0;
/** Distinguishes the deals of different runs. */
const nextMark = (): string => `${Date.now()}x${(marks += 1)}`;

const times = async (count: number, once: () => Promise<number>): Promise<number[]> => {
  const found: number[] = [];
  for (let index = 0; index < count; index += 1) found.push(await once());
  return found;
};

/** Sets up an organization in a migrated database and starts its gateways. */
export const startCitusSide = async (databaseUrl: string): Promise<CitusSide> => {
  const database = openAdministrationDatabase({ url: databaseUrl, applicationName: 'bench', maxConnections: 1 });
  const tools = administration(database);
  const { id: organizationId } = await tools.createOrganization({ name: 'Bench' });
  const stages = [{ label: 'New', isDefault: true }];
  const pipelineId = randomUUID();
  const origin = { actor: 'bench', osUser: null, commandId: randomUUID() };
  await changeSetup(database, organizationId, createPipelineChanges(pipelineId, { name: 'Sales' }, stages), origin);
  await database.close();
  const inbound = await startGateway('inbound-gateway', databaseUrl, organizationId);
  const read = await startGateway('read-gateway', databaseUrl, organizationId);
  // Each start replaces the key of the previous one.
  const writer = { ...inbound, headers: read.headers };
  const [write, page] = [sequentialCaller(writer), sequentialCaller(read)];
  const bulkBody = (): string =>
    JSON.stringify({ items: Array.from({ length: 100 }, () => ({ domain: `bench${nextMark()}.com` })) });
  return {
    organizationId,
    pipelineId,
    inbound: writer,
    read,
    creates: () => times(100, () => write.time('/v1/inbound/opportunities', dealBody(pipelineId, nextMark()))),
    pages: () => times(100, () => page.time(`/v1/opportunities?pipeline_id=${pipelineId}&limit=50`)),
    bulks: () => times(5, () => write.time('/v1/inbound/accounts/bulk', bulkBody())),
    stop: async () => {
      await Promise.all([inbound.stop(), read.stop()]);
    },
  };
};
