import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CrmApiError, type CrmClient } from '../src/index.js';
import { startTestCrm, type TestCrm } from './support/crm.js';

let crm: TestCrm;
let client: CrmClient;

beforeAll(async () => {
  crm = await startTestCrm();
  ({ client } = crm);
});
afterAll(() => crm.stop());

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

const refusal = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (reason: unknown) => reason,
  );

/** The read gateway shows a change of the setup within a second. Reads until it does, or until the test times out. */
const until = async (isShown: () => Promise<boolean>): Promise<void> => {
  while (!(await isShown())) await sleep(50);
};

const memberEmails = async (): Promise<string[]> =>
  (await collect(client.members.list({ limit: 1 }))).map(({ email }) => email);

describe('members', () => {
  test('are added, renamed, listed and removed', async () => {
    const { data, readAfter } = await client.members.create({ email: 'New.Owner@Example.com', name: 'Nora' });
    expect(data.member).toMatchObject({ email: 'new.owner@example.com', name: 'Nora', is_active: true });
    expect(readAfter).toEqual(expect.any(String));
    const { member_id } = data.member;
    const renamed = await client.members.update(member_id, { name: 'Nora New' });
    expect(renamed.data.member).toEqual({ ...data.member, name: 'Nora New' });
    await until(async () => (await memberEmails()).includes('new.owner@example.com'));
    expect(await collect(client.members.list())).toContainEqual(renamed.data.member);
    expect((await client.members.delete(member_id)).data).toEqual({ id: member_id });
    await until(async () => !(await memberEmails()).includes('new.owner@example.com'));
  });

  test('who own deals are removed only if the query says what happens to the deals', async () => {
    const { data } = await client.members.create({ email: 'leaver@example.com', name: 'Lee' });
    const { data: heir } = await client.members.create({ email: 'heir@example.com', name: 'Hera' });
    const deal = await client.opportunities.create({
      pipeline_id: crm.organization.pipeline.id,
      opportunity: { name: 'Owned' },
      related_objects: { owner_email: 'leaver@example.com' },
    });
    const id = data.member.member_id;
    const refused = await refusal(client.members.delete(id));
    expect(refused).toBeInstanceOf(CrmApiError);
    expect(refused).toMatchObject({ status: 409, code: 'conflict' });
    await client.members.delete(id, { reassign_to: heir.member.member_id });
    const { data: read } = await client.opportunities.get(deal.data.opportunity_id);
    expect(read.opportunity).toMatchObject({ owner_id: heir.member.member_id });
    // A member whose deals are kept becomes a former member, who can come back.
    const heirId = heir.member.member_id;
    await client.members.delete(heirId, { opportunities: 'keep' });
    const back = await client.members.update(heirId, { is_active: true });
    expect(back.data.member).toMatchObject({ is_active: true });
  });
});

describe('pipelines and stages', () => {
  test('are created, changed and archived', async () => {
    const { data } = await client.pipelines.create({ name: 'Onboarding', stages: [{ label: 'Open' }] });
    const { pipeline_id } = data.pipeline;
    const { data: added } = await client.pipelines.createStage(pipeline_id, { label: 'Won', probability: 100 });
    const { data: changed } = await client.pipelines.updateStage(added.stage.stage_id, { label: 'Live', position: 1 });
    expect(changed.stage).toMatchObject({ pipeline_id, label: 'Live', probability: 100, stage_order: 1 });
    const labels = async () => (await collect(client.pipelines.stages(pipeline_id))).map(({ label }) => label);
    await until(async () => (await labels()).join() === 'Live,Open');
    const archived = await client.pipelines.update(pipeline_id, { name: 'Old onboarding', is_active: false });
    expect(archived.data.pipeline).toMatchObject({ name: 'Old onboarding', is_active: false });
  });

  test('a taken name is a conflict', async () => {
    const { pipeline, otherPipeline } = crm.organization;
    const [other] = (await collect(client.pipelines.list())).filter((each) => each.pipeline_id === otherPipeline.id);
    const refused = await refusal(client.pipelines.update(pipeline.id, { name: other?.name ?? '' }));
    expect(refused).toMatchObject({ status: 409, name: 'CrmConflictError' });
  });
});

describe('custom fields', () => {
  test('are defined with options, changed and archived', async () => {
    const { data } = await client.fields.create({
      ...({ object: 'account', name: 'Size', slug: 'size', attribute_type: 'select' } as const),
      options: [{ label: 'Small', value: 'small' }],
    });
    const id = data.field.field_id ?? '';
    await client.fields.createOption(id, { label: 'Large', value: 'large' });
    const { data: changed } = await client.fields.updateOption(id, { value: 'small', label: 'Little' });
    expect(changed.field.metadata?.options?.map(({ label }) => label)).toEqual(['Little', 'Large']);
    const { data: account } = await client.accounts.create({
      domain: 'sized.example',
      custom_fields: { size: 'large' },
    });
    await until(async () => {
      const read = await client.accounts.get(account.company_id);
      return read.data.account.custom_fields['size'] === 'large';
    });
    const archived = await client.fields.update(id, { name: 'Old size', is_active: false });
    expect(archived.data.field).toMatchObject({ current_name: 'Old size', is_active: false });
  });
});

describe('changes of the setup', () => {
  test('need the permission', async () => {
    const { key: apiKey } = await crm.organization.createKey({ allow: ['list'] });
    const stranger = crm.clientWith({ apiKey });
    const refused = await refusal(stranger.members.create({ email: 'x@example.com', name: 'X' }));
    expect(refused).toMatchObject({ status: 401 });
  });

  test('are not retried if they may have happened', async () => {
    let tries = 0;
    const unlucky = crm.clientWith({
      fetch: async (...request) => {
        tries += 1;
        await fetch(...request);
        throw new TypeError('fetch failed');
      },
    });
    const refused = await refusal(unlucky.members.create({ email: 'once@example.com', name: 'Once' }));
    expect(refused).toMatchObject({ name: 'CrmConnectionError' });
    expect(tries).toBe(1);
    await until(async () => (await memberEmails()).includes('once@example.com'));
  });
});

test('a deleted account exists again after a restore', async () => {
  const { data: account } = await client.accounts.create({ domain: 'back.example', industry: 'Software' });
  const id = account.company_id;
  await client.accounts.delete(id);
  const [deletion] = await collect(client.accounts.history(id, { limit: 1 }));
  const position = deletion?.position ?? 0;
  const restored = await client.events.restore({ position }, { idempotencyKey: 'back-1' });
  expect(restored).toMatchObject({ data: { object: 'account', id }, isReplay: false, warnings: [] });
  const replay = await client.events.restore({ position }, { idempotencyKey: 'back-1' });
  expect(replay).toMatchObject({ isReplay: true, data: restored.data });
  expect((await client.accounts.get(id)).data.account).toMatchObject({ domain: 'back.example', industry: 'Software' });
});
