import * as contracts from '@crm/contract';
import { removeMemberChange } from '@crm/db';
import { setupTools } from '@crm/testing/suites';
import type { TestOrganization } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';
import { defineSubjectFields } from './support/seed-subject.js';
import { pageIn, subjects, type WireRecord } from './support/subject.js';
import { walkPages } from './support/walk.js';

const gateway = useGateway(startTestGateway);
beforeAll(async () => {
  for (const subject of Object.values(subjects)) await defineSubjectFields(gateway.organization, subject);
});

const onePage = { has_more: false, next_cursor: null, limit: 100 };

/** Walks through a list and returns the names of its items. */
const walk = async (
  contract: contracts.OperationContract,
  { key }: TestOrganization,
  { limit, params }: { readonly limit: number; readonly params?: Readonly<Record<string, string>> },
  nameOf: (item: WireRecord) => unknown,
  beforeNext: () => Promise<unknown> = () => Promise.resolve(),
): Promise<unknown[]> => {
  const answers = await walkPages(async (cursor) => {
    if (cursor !== '') await beforeNext();
    return gateway.client.call(contract, { params, key, query: { limit, cursor } });
  });
  return answers.map(pageIn).flatMap((page) => {
    expect(page.limit).toBe(limit);
    const [items = []] = Object.values(page).filter(Array.isArray) as WireRecord[][];
    return items.map(nameOf);
  });
};

describe('members', () => {
  test('200: lists the people of the organization by email, including former members, in pages', async () => {
    const fresh = await gateway.createOrganization();
    const { addMember, changeSetup } = setupTools(gateway.database);
    const { id } = await addMember({ organizationId: fresh.id, email: 'ann@team.example', name: 'Ann' });
    await changeSetup(fresh.id, [removeMemberChange(id, true)]);
    const { members, ...page } = (await gateway.clientOf(fresh).call(contracts.listMembers)).data;
    expect(page).toEqual(onePage);
    const created = { created_at: expect.any(String) };
    expect(members).toEqual([
      { member_id: id, email: 'ann@team.example', name: 'Ann', is_active: false, ...created },
      { member_id: fresh.member.id, email: 'owner@team.example', name: 'Olga Owner', is_active: true, ...created },
    ]);
  });
});

describe('pipelines', () => {
  test('200: returns the pipelines in order, with id, name and creation time', async () => {
    const { pipelines, ...page } = (await gateway.client.call(contracts.listPipelines)).data;
    expect(page).toEqual(onePage);
    const { pipeline, otherPipeline } = gateway.organization;
    const created = { is_active: true, created_at: expect.any(String) };
    expect(pipelines).toEqual([
      { pipeline_id: pipeline.id, name: 'Sales', ...created },
      { pipeline_id: otherPipeline.id, name: 'Partners', ...created },
    ]);
    expect(Date.now() - Date.parse(pipelines[0]?.created_at ?? '')).toBeLessThan(60_000);
  });

  test('200: shows each pipeline once in pages, even if others are created meanwhile', async () => {
    const fresh = await gateway.createOrganization();
    const create = (name: string) =>
      setupTools(gateway.database).createPipeline({ organizationId: fresh.id, name, stages: [] });
    for (const name of ['1', '2', '3']) await create(name);
    let late = 0;
    const names = await walk(
      contracts.listPipelines,
      fresh,
      { limit: 2 },
      ({ name }) => name,
      () => create(`Late ${(late += 1)}`),
    );
    expect(names.filter((name) => !String(name).startsWith('Late'))).toEqual(['Sales', 'Partners', '1', '2', '3']);
  });
});

describe('stages', () => {
  const list = async (id: string, query = '') =>
    gateway.client.call(contracts.listPipelineStages, { params: { id }, query });
  const create = async (name: string, stages: { label: string; probability?: number; color?: string }[]) =>
    setupTools(gateway.database).createPipeline({ organizationId: gateway.organization.id, name, stages });

  test('200: returns the stages of the pipeline in order, with all their fields', async () => {
    const { pipeline } = gateway.organization;
    const { stages, ...page } = (await list(pipeline.id.toUpperCase())).data;
    expect(page).toEqual(onePage);
    const alike = { pipeline_id: pipeline.id, color: 'gray', is_active: true, probability: null, outcome: 'open' };
    const idOf = (index: number) => pipeline.stages[index]?.id;
    expect(stages).toEqual([
      { ...alike, stage_id: idOf(0), label: 'New', stage_order: 1, is_default: false },
      { ...alike, stage_id: idOf(1), label: 'Qualified', stage_order: 2, is_default: true },
      { ...alike, stage_id: idOf(2), label: 'Won', stage_order: 3, is_default: false },
    ]);
  });

  test('200: sorts by position, not by id or label, in pages, and returns the probability as a number', async () => {
    const labels = ['z', 'b', 'y', 'a', 'x'];
    const stages = labels.map((label, index) => ({ label, probability: index * 12.5, color: 'red' }));
    const { id } = await create('Chances', stages);
    const { data } = await list(id);
    expect(data.stages.map(({ label, probability }) => [label, probability])).toEqual(
      labels.map((label, index) => [label, index * 12.5]),
    );
    const paged = { limit: 2, params: { id } };
    expect(await walk(contracts.listPipelineStages, gateway.organization, paged, ({ label }) => label)).toEqual(labels);
    expect((await list((await create('Empty', [])).id)).data.stages).toEqual([]);
  });
});

const fieldContracts = {
  account: contracts.listAccountFields,
  contact: contracts.listContactFields,
  opportunity: contracts.listOpportunityFields,
};

describe.each(Object.values(subjects))('the fields of $collection', (subject) => {
  const contract = fieldContracts[subject.objectType];
  const list = async () => (await gateway.client.call(contract)).data;

  test('200: lists every system field, then every custom field in order, including hidden ones', async () => {
    const { fields, ...page } = await list();
    expect(page).toEqual(onePage);
    const ofRecords = [...subject.baseKeys, ...subject.extraKeys, ...subject.keysOnRequest];
    const systemNames = ofRecords.filter((key) => key !== 'custom_fields');
    const customSlugs = ['tier', 'seats', 'motto', 'secret', 'term', 'office', 'tags'];
    const names = fields.map(({ name }) => name);
    expect(names.slice(0, systemNames.length).sort()).toEqual(systemNames.sort());
    expect(names.slice(systemNames.length)).toEqual(customSlugs);
    expect(fields.map((field) => field.is_custom)).toEqual(names.map((name) => customSlugs.includes(name)));
    expect(fields.filter((field) => field.is_hidden).map(({ name }) => name)).toEqual(['secret']);
    const walked = await walk(contract, gateway.organization, { limit: 4 }, ({ name }) => name);
    expect(walked).toEqual(names);
    const stranger = await gateway.client.call(contract, { key: gateway.stranger.key });
    expect(stranger.data.fields.filter((field) => field.is_custom)).toEqual([]);
  });

  test('200: names a custom field custom__slug and a system field by its key; options have label, value and color', async () => {
    const { fields } = (await gateway.client.call(contract, { query: 'include_archived=true' })).data;
    const system = { current_name: 'Created at', property_name: 'created_at', attribute_type: 'datetime' };
    expect(fields.find(({ name }) => name === 'created_at')).toMatchObject({ ...system, metadata: null });
    const alike = { color: 'red', is_active: true };
    const options = ['hot', 'cold'].map((value) => ({ label: value.toUpperCase(), value, ...alike }));
    const custom = { current_name: 'tier', property_name: 'custom__tier', attribute_type: 'select' };
    expect(fields.find(({ name }) => name === 'tier')).toMatchObject({
      ...custom,
      metadata: { options },
      is_hidden: false,
    });
  });

  test('200: lists names and property names that fields accepts', async () => {
    const names = (await list()).fields.flatMap((field) => [field.name, field.property_name]).join(',');
    const path = `/v1/${subject.collection}/search`;
    expect((await gateway.client.send('POST', path, { body: { fields: names } })).status).toBe(200);
  });
});

describe('the fields of opportunities and their pipelines', () => {
  test('200: additional_contacts has its own type, contact_list, and no metadata', async () => {
    const { data } = await gateway.client.call(contracts.listOpportunityFields);
    const field = data.fields.find(({ name }) => name === 'additional_contacts');
    expect(field).toMatchObject({ attribute_type: 'contact_list', metadata: null, is_custom: false });
  });

  test('200: returns the fields of all pipelines and of the one that is named, with the pipelines of each', async () => {
    const fresh = await gateway.createOrganization();
    const { pipeline, otherPipeline, key } = fresh;
    const own = { objectType: 'opportunity', attributeType: 'string' } as const;
    await fresh.defineField({ ...own, slug: 'everywhere' });
    await fresh.defineField({ ...own, slug: 'of_first', pipelineIds: [pipeline.id] });
    await fresh.defineField({ ...own, slug: 'of_other', pipelineIds: [otherPipeline.id] });
    const customOf = async (query: Readonly<Record<string, string>>) => {
      const { data } = await gateway.client.call(contracts.listOpportunityFields, { query, key });
      return data.fields.filter((field) => field.is_custom).map(({ name, pipeline_ids: ids }) => [name, ids]);
    };
    const everywhere = ['everywhere', null];
    const [ofFirst, ofOther] = [
      ['of_first', [pipeline.id]],
      ['of_other', [otherPipeline.id]],
    ];
    expect(await customOf({})).toEqual([everywhere, ofFirst, ofOther]);
    expect(await customOf({ pipeline_id: pipeline.id.toUpperCase() })).toEqual([everywhere, ofFirst]);
    expect(await customOf({ pipeline_id: otherPipeline.id })).toEqual([everywhere, ofOther]);
  });
});
