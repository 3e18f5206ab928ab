import * as contracts from '@crm/contract';
import { createTestClient, startGatewayProcess, type GatewayProcess, type TestClient, urlForRole } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';

/** Zones far apart: most of the time their dates differ. */
const zones = [
  { process: 'UTC', server: 'UTC' },
  { process: 'Pacific/Kiritimati', server: 'America/St_Johns' },
  { process: 'Pacific/Pago_Pago', server: 'Asia/Kathmandu' },
] as const;
/** Instants at both ends of a UTC day, and one in the hour that many zones skip in spring. */
const instants = ['2026-03-29T00:00:00.000Z', '2026-03-29T01:30:00.000Z', '2026-12-31T23:59:59.999Z'];

const gateway = useGateway(startTestGateway);
const inboundProcesses: GatewayProcess[] = [];

beforeAll(async () => {
  for (const attributeType of ['date', 'datetime', 'timestamp', 'time', 'date_range'] as const) {
    await gateway.organization.defineField({ objectType: 'opportunity', slug: `a_${attributeType}`, attributeType });
  }
});
afterAll(async () => {
  await Promise.all(inboundProcesses.map(({ stop }) => stop()));
});

/** Starts both gateways with one time zone, on a server with another. */
const startIn = async (zone: (typeof zones)[number]): Promise<{ read: TestClient; inbound: TestClient }> => {
  const { database, databaseUrl, organization } = gateway;
  await database.pool.query(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone = %L', current_database(), '${zone.server}'); END $$`,
  );
  const environment = { DATABASE_URL: urlForRole(databaseUrl, 'inbound'), TZ: zone.process, LOG_LEVEL: 'error' };
  const inbound = await startGatewayProcess('inbound-gateway', environment);
  inboundProcesses.push(inbound);
  return {
    read: (await gateway.startProcess({ TZ: zone.process })).client,
    inbound: createTestClient(inbound.url, organization.key),
  };
};

const bodyOf = (name: string, instant: string) => {
  const ms = Date.parse(instant);
  const day = instant.slice(0, 10);
  const custom_fields = {
    a_date: Date.parse(day),
    a_datetime: instant.replace('Z', '+00:00'),
    a_timestamp: ms,
    a_time: '23:59',
    a_date_range: { start: day, end: day },
  };
  const pipeline_id = gateway.organization.pipeline.id;
  return { pipeline_id, opportunity: { name, close_date: ms, next_action_date: ms, custom_fields } };
};

const fields = 'close_date,next_action_date,custom_fields';

/** A gateway's records of the deals of one zone, without the values that differ between deals. */
const readAll = async ({ read }: { read: TestClient }, prefix: string): Promise<readonly unknown[]> => {
  const filters = [
    { field: 'name', operator: 'starts_with', value: prefix },
    ...instants.map((instant) => ({ field: 'close_date', operator: 'eq', value: instant.slice(0, 10) })),
    { field: 'close_date', operator: 'gt', value: '2026-03-29' },
    { field: 'a_date', operator: 'between', value: ['2026-03-29', '2026-03-30'] },
    { field: 'a_datetime', operator: 'lt', value: '2026-03-29T01:30:00+00:00' },
    { field: 'a_timestamp', operator: 'gte', value: Date.parse(instants[2] ?? '') },
  ];
  const answers: unknown[] = [];
  for (const filter of filters) {
    const mine = { and: [filters[0], filter] };
    const body = { filters: mine, fields, sort: 'name' };
    const { data } = await read.call(contracts.searchOpportunities, { body });
    answers.push(
      data.opportunities.map(({ id: _id, name, ...rest }) => ({ ...rest, name: name?.slice(prefix.length) })),
    );
  }
  return answers;
};

describe('200', () => {
  test('the time zones of the process and the server change nothing that is stored, found or answered', async () => {
    const expected: unknown[] = [];
    for (const [index, zone] of zones.entries()) {
      const gateways = await startIn(zone);
      const prefix = `zone ${index} `;
      for (const instant of instants) {
        const answer = await gateways.inbound.call(contracts.createOpportunity, {
          body: bodyOf(`${prefix}${instant}`, instant),
        });
        expect(answer.body.warnings ?? []).toEqual([]);
      }
      expected.push(await readAll(gateways, prefix));
      // Deals that were written in the first zone look the same in every zone.
      expect(await readAll(gateways, 'zone 0 ')).toEqual(expected[0]);
      expect(expected[index]).toEqual(expected[0]);
    }
    const [all] = expected[0] as readonly (readonly { custom_fields: { a_date: string } }[])[];
    expect(all?.map((record) => record.custom_fields.a_date)).toEqual(instants.map((instant) => instant.slice(0, 10)));
  });
});
