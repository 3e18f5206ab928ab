import { createPipeline } from '@crm/contract';
import {
  createTestClient,
  type GatewayProcess,
  startGatewayProcess,
  type TestClient,
  type TestOrganization,
  propertyRuns,
  urlForRole,
} from '@crm/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { callsOf } from './model/calls.js';
import { ModelClient } from './model/client.js';
import { describeModels, readState } from './model/read-state.js';
import { ModelState } from './model/state.js';
import { expectConsistent } from './support/expect-consistent.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

const lanes = 4;
const runs = propertyRuns({ short: 10, soak: 300 });
const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2_147_483_647);

let gateway: TestGateway;
let processes: TestClient[];
let reading: GatewayProcess;

beforeAll(async () => {
  gateway = await startTestGateway();
  processes = await gateway.startProcesses(2);
  const environment = {
    DATABASE_URL: urlForRole(gateway.databaseUrl, 'read'),
    CURSOR_SECRETS: 'a secret of the tests only',
  };
  reading = await startGatewayProcess('read-gateway', { ...environment, RATE_LIMIT_SEARCH: '0', LOG_LEVEL: 'error' });
});
afterAll(async () => {
  await (reading as GatewayProcess | undefined)?.stop();
  await gateway.stop();
});

const createOrganization = async (currency: string | null) => {
  const organization = await gateway.createOrganization();
  const text = 'UPDATE organizations SET currency = $2 WHERE id = $1';
  await gateway.database.query(organization.id, { text, values: [currency] });
  for (const objectType of ['account', 'contact', 'opportunity'] as const)
    await organization.defineField({ objectType, slug: 'score', attributeType: 'number' });
  return organization;
};

const stages = [{ label: 'New' }, { label: 'Qualified', is_default: true }, { label: 'Won' }];

/** A client with a pipeline of its own, which no other client changes. */
const createModelClient = async (
  client: TestClient,
  organization: TestOrganization,
  lane: number,
  currency: string | null,
): Promise<ModelClient> => {
  const body = { name: `Lane ${lane}`, stages };
  const { data } = await client.call(createPipeline, { body, key: organization.key });
  const ofModel = data.stages.map((stage) => ({
    id: stage.stage_id,
    label: stage.label,
    isActive: true,
    isDefault: stage.label === 'Qualified',
    outcome: 'open',
  }));
  const state = new ModelState(ofModel, currency);
  const { pipeline_id: pipelineId, name } = data.pipeline;
  return new ModelClient(state, pipelineId, name, client, organization, gateway.database);
};

test(
  'after any calls of parallel clients, the read gateway shows what a simple model predicts',
  async () => {
    process.stdout.write(`model: ${runs} runs of ${lanes} clients, FC_SEED=${seed}\n`);
    const property = fc.asyncProperty(
      fc.tuple(...Array.from({ length: lanes }, (_, lane) => callsOf(lane))),
      fc.option(fc.constant('EUR'), { nil: null }),
      async (calls, currency) => {
        const organization = await createOrganization(currency);
        const clients: ModelClient[] = [];
        for (const lane of calls.keys()) {
          const client = processes[lane % 2] ?? gateway.client;
          clients.push(await createModelClient(client, organization, lane, currency));
        }
        await Promise.all(
          calls.map(async (ofLane, lane) => {
            for (const call of ofLane) {
              const outcome = await clients[lane]?.run(call);
              expect({ call, outcome: outcome?.actual }).toEqual({ call, outcome: outcome?.expected });
            }
          }),
        );
        const stored = await readState(createTestClient(reading.url, organization.key));
        expect(stored).toEqual(describeStates(clients));
        await expectConsistent({
          ...gateway,
          rows: (text, values = []) => gateway.database.query(organization.id, { text, values }),
        });
      },
    );
    await fc.assert(property, { numRuns: runs, seed, endOnFailure: false });
  },
  Math.max(300_000, 8_000 * runs),
);

const describeStates = (clients: readonly ModelClient[]) => {
  const described = describeModels(clients.map(({ state }) => state));
  return { ...described, accounts: described.accounts.sort() };
};
