import * as api from '@crm/contract';
import type { BulkResult, OperationContract } from '@crm/contract';
import type { Answer } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import { useGateway } from './support/use-gateway.js';

let dealId: string;
const gateway = useGateway(async ({ organization: { defineField, pipeline }, client }) => {
  await defineField({ objectType: 'opportunity', slug: 'seats', attributeType: 'number' });
  await defineField({ objectType: 'opportunity', slug: 'place', attributeType: 'location' });
  const body = { pipeline_id: pipeline.id, opportunity: { name: 'Existing', deal_size: 7 } };
  dealId = (await client.call(api.createOpportunity, { body })).data.opportunity_id;
});

const tooLong = 'has more digits than a number can hold: send at most 15 significant digits';

/** The JSON text of a value, in which every string of the form `#1.50` becomes that number, digit for digit. */
const jsonWithLiterals = (value: unknown): string => JSON.stringify(value).replace(/"#([^"]+)"/g, '$1');

const send = (contract: OperationContract, body: unknown, more: object = {}): Promise<Answer> =>
  gateway().client.call(contract, { rawBody: jsonWithLiterals(body), ...more });

const deal = (name: string, more: object = {}) => ({
  pipeline_id: gateway().organization.pipeline.id,
  opportunity: { name, ...more },
});

const stored = (name: string) =>
  gateway().rows<{ amount: string | null; custom_fields: object }>(
    `SELECT amount::text, custom_fields FROM opportunities WHERE organization_id = $1 AND name = '${name}'`,
  );

describe('400: refuses a number that would be rounded', () => {
  test.each<[string, object]>([
    ['opportunity.deal_size', { deal_size: '#999999999999.99998' }],
    ['opportunity.close_date', { close_date: '#1798675200000.00001' }],
    ['opportunity.custom__seats', { custom__seats: '#1.0000000000000001' }],
    ['opportunity.custom_fields.place.lat', { custom_fields: { place: { lat: '#52.000000000000000001', lng: 1 } } }],
  ])('at %s in %j', async (path, more) => {
    for (const answer of [
      await send(api.createOpportunity, deal('Rounded', more)),
      await send(api.updateOpportunity, { opportunity: more }, { params: { id: dealId } }),
    ]) {
      expect({ status: answer.status, errors: answer.errors }).toEqual({ status: 400, errors: { [path]: tooLong } });
    }
    expect(await stored('Rounded')).toEqual([]);
    expect(await stored('Existing')).toEqual([{ amount: '7.0000', custom_fields: {} }]);
  });
});

test('an amount with more decimals than its currency has is stored as sent, with a warning', async () => {
  const warnings = (amount: number, currency: string, decimals: number) => [
    {
      field: 'opportunity.deal_size',
      message: `${amount} has more decimals than ${currency}, which has ${decimals}: it was stored as sent`,
    },
  ];
  const create = (name: string, more: object) => send(api.createOpportunity, deal(name, more));
  const yen = { deal_size: 10.5, currency: 'JPY' };
  expect((await create('Yen', yen)).body).toMatchObject({ warnings: warnings(10.5, 'JPY', 0) });
  for (const [name, more] of [
    ['Dinar', { deal_size: 1.125, currency: 'KWD' }],
    ['Euro', { deal_size: 1.25, currency: 'EUR' }],
    ['None', { deal_size: 1.125 }],
  ] as const)
    expect((await create(name, more)).body).not.toHaveProperty('warnings');
  const update = (opportunity: object) =>
    send(api.updateOpportunity, { opportunity }, { params: { id: dealId } }).then(({ body }) => body);
  expect(await update({ deal_size: 1.125, currency: 'EUR' })).toMatchObject({ warnings: warnings(1.125, 'EUR', 2) });
  expect(await update({ next_step: 'Call' })).not.toHaveProperty('warnings');
  expect(await update({ currency: 'JPY' })).toMatchObject({ warnings: warnings(1.125, 'JPY', 0) });
  const items = [deal('Yen 1', yen), deal('Yen 2', { ...yen, deal_size: 10 })];
  const { data } = await send(api.bulkCreateOpportunities, { items });
  const results = (data as { results: BulkResult[] }).results;
  expect(results.map(({ warnings: found }) => found)).toEqual([warnings(10.5, 'JPY', 0), undefined]);
  await update({ deal_size: 7, currency: null });
});

describe('bulk: numbers that would be rounded', () => {
  const items = (name: string) => [
    deal(`${name} 0`, { deal_size: 1 }),
    deal(`${name} 1`, { deal_size: '#1.0000000000000001', custom__seats: '#9007199254740993' }),
    deal(`${name} 2`, { deal_size: 3 }),
  ];
  const resultsOf = ({ data }: Answer) => (data as { results: BulkResult[] }).results;
  const errors = { 'opportunity.deal_size': tooLong, 'opportunity.custom__seats': tooLong };

  test('refuse only their item, under their path in it', async () => {
    const created = await send(api.bulkCreateOpportunities, { items: items('Bulk') });
    const results = resultsOf(created);
    expect(results.map(({ success }) => success)).toEqual([true, false, true]);
    expect(results[1]).toEqual({ index: 1, success: false, record_status: null, id: null, errors });
    expect(await stored('Bulk 0')).toMatchObject([{ amount: '1.0000' }]);
    expect(await stored('Bulk 1')).toEqual([]);
  });

  test('refuse the whole call if one is outside the items, or if there are more than a hundred', async () => {
    const outside = await send(api.bulkCreateOpportunities, { items: items('Outside'), atomic: '#1e999' });
    expect(outside.fieldsAtFault).toEqual(['atomic', ...Object.keys(errors).map((path) => `items[1].${path}`)].sort());
    const tags = (count: number) => ({ items: [deal('Many'), { tags: Array(count).fill('#1e999') }] });
    expect((await send(api.bulkCreateOpportunities, tags(101))).status).toBe(400);
    expect(await stored('Many')).toEqual([]);
    expect((await send(api.bulkCreateOpportunities, tags(100))).status).toBe(200);
    expect(await stored('Many')).toHaveLength(1);
  });

  test('count as a part of the request: with corrected numbers, the same Idempotency-Key is refused', async () => {
    const more = { headers: { 'idempotency-key': 'mended' } };
    const other = deal('Other');
    const refused = deal('Key', { deal_size: '#1.0000000000000001' });
    const results = resultsOf(await send(api.bulkCreateOpportunities, { items: [other, refused] }, more));
    expect(results.map(({ success }) => success)).toEqual([true, false]);
    const mended = { items: [other, deal('Key', { deal_size: 1 })] };
    expect((await send(api.bulkCreateOpportunities, mended, more)).status).toBe(422);
  });
});
