import { listOpportunities, searchOpportunities, summarizeOpportunities } from '@crm/contract';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';
import { walkPages } from './support/walk.js';

const gateway = useGateway(startTestGateway);
let ids: Readonly<Record<'account' | 'ann' | 'bob' | 'cid' | 'deal', string>>;

beforeAll(async () => {
  const { addAccount, addContact, addDeals } = gateway.records();
  const people = {
    ann: await addContact('ann@acme.com', 'Ann', null),
    bob: await addContact('bob@acme.com', null, null),
    cid: await addContact('cid@acme.com', 'Cid', null),
  };
  const additional = ['cid@acme.com', 'bob@acme.com'];
  const deals = await addDeals([
    { name: 'Nothing' },
    { name: 'Bare', pipelineId: gateway.organization.otherPipeline.id },
    { name: 'With contact', primary: 'hidden@contact.com' },
    { name: 'Renewal', amount: 10.5, stageId: stage(2), nextStep: 'Call', primary: 'ann@acme.com', additional },
  ]);
  ids = { account: await addAccount('acme.com', 'Acme'), ...people, deal: deals[3] ?? '' };
});

const stage = (index: number) => gateway.organization.pipeline.stages[index]?.id ?? '';
const list = (query: Readonly<Record<string, string | number>> = {}) =>
  gateway.client.call(listOpportunities, { query: { pipeline_id: gateway.organization.pipeline.id, ...query } });

describe('contact_id', () => {
  const read = async (query: Readonly<Record<string, string>>) =>
    (await list({ pipeline_id: 'all', ...query })).data.opportunities.map(({ id }) => id);
  const search = async (body: object): Promise<readonly string[]> =>
    (
      await gateway.client.call(searchOpportunities, { body: { sort: 'created_at:desc', ...body } })
    ).data.opportunities.map(({ id }) => id);

  test('lists and searches the deals of a person, whatever the place of the person', async () => {
    for (const contact_id of [ids.ann, ids.bob, ids.cid.toUpperCase()]) {
      expect(await read({ contact_id })).toEqual([ids.deal]);
      expect(await read({ contact_id, pipeline_id: gateway.organization.otherPipeline.id })).toEqual([]);
      expect(await read({ contact_id, stage_id: stage(2), q: 'renewal' })).toEqual([ids.deal]);
      expect(await search({ contact_id, filters: { field: 'amount', operator: 'gt', value: 10 } })).toEqual([ids.deal]);
      expect(await search({ contact_id, sort: 'next_step' })).toEqual([ids.deal]);
      const { groups, total } = (await gateway.client.call(summarizeOpportunities, { body: { contact_id } })).data;
      expect([groups, total.count]).toEqual([[], 1]);
    }
  });

  test('compares all contacts of a deal with each operator of filters', async () => {
    const every = await read({});
    const others = every.filter((id) => id !== ids.deal);
    const filtered = (operator: string, value?: unknown) =>
      search({ filters: { field: 'contact_id', operator, ...(value === undefined ? {} : { value }) } });
    const withSome = await filtered('not_empty');
    expect(withSome).toHaveLength(2);
    expect(withSome).toContain(ids.deal);
    expect(await filtered('empty')).toEqual(every.filter((id) => !withSome.includes(id)));
    for (const id of [ids.ann, ids.bob, ids.cid]) {
      expect(await filtered('eq', id)).toEqual([ids.deal]);
      expect(await filtered('neq', id)).toEqual(others);
      expect(await filtered('in', [id.toUpperCase(), ids.account])).toEqual([ids.deal]);
      expect(await filtered('not_in', [ids.account, id])).toEqual(others);
    }
    const both = [ids.ann, ids.cid].map((value) => ({ field: 'contact_id', operator: 'eq', value }));
    expect(await search({ filters: both })).toEqual([ids.deal]);
    expect(await search({ filters: [{ or: both }, { not: { and: both } }] })).toEqual([]);
  });

  test('pages through all deals of a person exactly once, and binds the cursor to the person', async () => {
    const { addContact, addDeals } = gateway.records();
    const eve = await addContact('eve@eve.com', 'Eve', null);
    const pipelines = [gateway.organization.pipeline.id, gateway.organization.otherPipeline.id];
    const places = [
      { primary: 'eve@eve.com' },
      { primary: 'ann@acme.com', additional: ['bob@acme.com', 'eve@eve.com'] },
    ];
    const added = await addDeals(
      Array.from({ length: 7 }, (_, n) => ({
        name: `Of Eve ${n}`,
        pipelineId: pipelines[n % 2] ?? '',
        ...places[Math.floor(n / 2) % 2],
      })),
    );
    for (const sort of ['created_at', 'amount:desc', 'name', 'next_step', 'stage_name']) {
      const walk = await walkPages((cursor) =>
        gateway.client.call(searchOpportunities, { body: { contact_id: eve, sort, limit: 2, cursor } }),
      );
      expect(walk.flatMap(({ data }) => data.opportunities.map(({ id }) => id)).sort()).toEqual([...added].sort());
      expect(walk).toHaveLength(4);
    }
    const query = { pipeline_id: 'all', limit: 2, contact_id: eve };
    const walk = await walkPages((cursor) => list({ ...query, cursor }));
    expect(walk.flatMap(({ data }) => data.opportunities.map(({ id }) => id))).toEqual([...added].reverse());
    const cursor = walk[0]?.data.next_cursor ?? '';
    expect((await list({ ...query, contact_id: ids.ann, cursor })).fieldsAtFault).toEqual(['cursor']);
  });

  test('400: refuses a person whom the organization does not have', async () => {
    const contact_id = ids.account;
    const body = { contact_id };
    const answers = [
      await list({ contact_id }),
      await gateway.client.call(searchOpportunities, { body }),
      await gateway.client.call(summarizeOpportunities, { body }),
    ];
    for (const { status, body: refusal } of answers)
      expect([status, refusal]).toMatchObject([
        400,
        { errors: { contact_id: 'is not a contact of this organization' } },
      ]);
  });
});
