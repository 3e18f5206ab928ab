import { listOpportunities } from '@crm/contract';
import { administration } from '@crm/db';
import { type TestRequest } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';

let gateway: TestGateway;
const ours = recordsOf(
  () => gateway.database,
  () => gateway.organization,
);
const theirs = recordsOf(
  () => gateway.database,
  () => gateway.stranger,
);

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const list = (query: Readonly<Record<string, string | number>> = {}, request: TestRequest = {}) =>
  gateway.client.call(listOpportunities, {
    query: { pipeline_id: gateway.organization.pipeline.id, ...query },
    ...request,
  });
const listText = (query: string) =>
  gateway.client.call(listOpportunities, { query: `pipeline_id=${gateway.organization.pipeline.id}&${query}` });
const stage = (index: number) => gateway.organization.pipeline.stages[index]?.id ?? '';

describe('200', () => {
  test('returns an empty page for a pipeline without deals', async () => {
    const answer = await list();
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({
      opportunities: [],
      custom_field_definitions: {},
      has_more: false,
      next_cursor: null,
      limit: 100,
    });
  });

  test('returns every key of the specification and no other', async () => {
    const ann = await ours.addContact('ann@acme.com', 'Ann', 'Lee');
    const bob = await ours.addContact('bob@acme.com', null, null);
    const cid = await ours.addContact('cid@acme.com', 'Cid', null);
    const account = await ours.addAccount('acme.com', 'Acme');
    const [id] = await ours.addDeals([
      {
        name: 'Renewal "1" \\ é 😀 \u2028',
        stageId: stage(2),
        amount: 10,
        accountDomain: 'acme.com',
        primary: 'ann@acme.com',
        additional: ['cid@acme.com', 'bob@acme.com'],
      },
    ]);
    expect((await list()).data.opportunities).toEqual([
      {
        id,
        name: 'Renewal "1" \\ é 😀 \u2028',
        pipeline_id: gateway.organization.pipeline.id,
        stage_id: stage(2),
        stage_name: 'Won',
        account_id: account,
        contact_id: ann,
        additional_contacts: [
          { contact_id: cid, contact_first_name: 'Cid', contact_last_name: null, contact_email: 'cid@acme.com' },
          { contact_id: bob, contact_first_name: null, contact_last_name: null, contact_email: 'bob@acme.com' },
        ],
        custom_fields: {},
      },
    ]);
  });

  test('returns null and empty lists for missing values', async () => {
    const input = { organizationId: gateway.organization.id, name: 'Without stages', stages: [] };
    const { id: pipelineId } = await administration(gateway.database).createPipeline(input);
    const [id] = await ours.addDeals([{ name: 'Bare', pipelineId }]);
    const { data } = await list({ pipeline_id: pipelineId });
    const nothing = { stage_id: null, stage_name: null, account_id: null, contact_id: null };
    expect(data.opportunities).toMatchObject([{ id, ...nothing, additional_contacts: [], custom_fields: {} }]);
  });

  test('sorts the newest deals first', async () => {
    const ids = await ours.addDeals(['1', '2', '3'].map((name) => ({ name, stageId: stage(0) })));
    const { data } = await list({ stage_id: stage(0) });
    expect(data.opportunities.map((one) => one.id)).toEqual(ids.reverse());
  });

  test('filters by stage_id in upper or lower case', async () => {
    const [id] = await ours.addDeals([{ name: 'Qualified', stageId: stage(1) }]);
    for (const stageId of [stage(1), stage(1).toUpperCase()]) {
      const { data } = await list({ stage_id: stageId });
      expect(data.opportunities.map((one) => one.id)).toEqual([id]);
    }
  });

  test('accepts pipeline_id in upper case', async () => {
    const { data } = await list({ pipeline_id: gateway.organization.pipeline.id.toUpperCase() });
    expect(data).toEqual((await list()).data);
  });

  test('finds a pipeline that was created a moment ago', async () => {
    await list();
    const fresh = await gateway.createOrganization();
    const client = gateway.clientOf(fresh);
    const answer = await client.call(listOpportunities, { query: { pipeline_id: fresh.otherPipeline.id } });
    expect(answer.status).toBe(200);
  });

  test('treats a blank q or cursor as absent', async () => {
    expect((await listText('q=&cursor=')).data).toEqual((await list()).data);
    expect((await listText('q=%20%09&cursor=%20')).data).toEqual((await list()).data);
  });

  test('echoes a valid request id of the client and replaces any other text', async () => {
    const request = { 'x-request-id': 'my-request_0001' };
    expect((await list({}, { headers: request })).headers.get('x-request-id')).toBe('my-request_0001');
    const long = 'x'.repeat(65);
    expect((await list({}, { headers: { 'x-request-id': long } })).headers.get('x-request-id')).not.toBe(long);
  });
});

describe('400', () => {
  test('refuses a missing or malformed pipeline_id', async () => {
    for (const query of [
      '',
      'pipeline_id=',
      'pipeline_id=x',
      'pipeline_id=%7B00000000-0000-4000-8000-000000000000%7D',
    ]) {
      const answer = await gateway.client.call(listOpportunities, { query });
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual(['pipeline_id']);
    }
  });

  test.each(['0', '-1', '501', '1.5', '1e2', '0x10', '%205', '+5', '05', '', 'ten', 'NaN', '99999999999999999999'])(
    'refuses limit=%s',
    async (limit) => {
      const answer = await listText(`limit=${limit}`);
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual(['limit']);
    },
  );

  test.each([
    ['limit=5&limit=5', 'limit'],
    ['q=a&q=b', 'q'],
    ['cursor=a&cursor=b', 'cursor'],
    ['stage_id=a&stage_id=b', 'stage_id'],
    ['sort=name', 'sort'],
    ['q[]=a', 'q[]'],
    ['__proto__=a', '__proto__'],
    ['q=%00', 'q'],
    ['q=%ff', 'q'],
    ['q=%ed%a0%80', 'q'],
    [`q=${'a'.repeat(201)}`, 'q'],
    ['fields=nothing', 'fields'],
    ['fields=name&fields=nothing', 'fields'],
    ['fields=amount,__proto__', 'fields'],
    [`fields=${Array.from({ length: 101 }, (_, i) => `f${i}`).join(',')}`, 'fields'],
    ['stage_id=x', 'stage_id'],
    ['stage_id=00000000-0000-4000-8000-000000000000', 'stage_id'],
    ['cursor=x', 'cursor'],
    [`cursor=${'a'.repeat(9_000)}`, 'cursor'],
  ])('refuses %.60s and names the parameter', async (query, parameter) => {
    const answer = await listText(query);
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual([parameter]);
  });

  test('names every invalid parameter, not only the first', async () => {
    const answer = await listText(
      'limit=0&fields=nothing&stage_id=00000000-0000-4000-8000-000000000000&q=' + 'a'.repeat(201),
    );
    expect(answer.fieldsAtFault).toEqual(['fields', 'limit', 'q', 'stage_id']);
  });

  test('answers a stage of another pipeline and one of another organization alike', async () => {
    const other = await list({ stage_id: gateway.organization.otherPipeline.stages[0]?.id ?? '' });
    const foreign = await list({ stage_id: gateway.stranger.pipeline.stages[0]?.id ?? '' });
    expect(other.fieldsAtFault).toEqual(['stage_id']);
    expect(foreign.comparable).toBe(other.comparable);
  });
});

describe('404', () => {
  test('answers an unknown pipeline and one of another organization with the same bytes', async () => {
    const unknown = await list({ pipeline_id: '00000000-0000-4000-8000-000000000000' });
    const foreign = await list({ pipeline_id: gateway.stranger.pipeline.id });
    expect(unknown.status).toBe(404);
    expect(foreign.comparable).toBe(unknown.comparable);
  });

  test('answers both with the same bytes even if more is wrong with the request', async () => {
    const faults = { limit: 0, fields: 'nothing', stage_id: stage(0) };
    const unknown = await list({ pipeline_id: '00000000-0000-4000-8000-000000000000', ...faults });
    const foreign = await list({ pipeline_id: gateway.stranger.pipeline.id, ...faults });
    expect(foreign.comparable).toBe(unknown.comparable);
  });
});

describe('two organizations', () => {
  test('each see their own deal for the same key, and nothing of the other', async () => {
    const deal = {
      name: 'Shared',
      accountDomain: 'shared.com',
      primary: 'ann@shared.com',
      additional: ['bob@shared.com'],
    };
    const [mine] = await ours.addDeals([deal]);
    const [foreign] = await theirs.addDeals([deal]);
    const query = { pipeline_id: gateway.stranger.pipeline.id };
    const page = (await gateway.clientOf(gateway.stranger).call(listOpportunities, { query })).data.opportunities;
    expect(page.map((one) => one.id)).toEqual([foreign]);
    const own = (await list({ q: 'shared' })).data.opportunities;
    expect(own.map((one) => one.id)).toEqual([mine]);
    const ids = (one: (typeof own)[number] | undefined) => [
      one?.id,
      one?.account_id,
      one?.contact_id,
      one?.additional_contacts[0]?.contact_id,
    ];
    expect(new Set([...ids(page[0]), ...ids(own[0])]).size).toBe(8);
  });
});
