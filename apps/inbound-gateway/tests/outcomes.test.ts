import { createTestClient, readTestStack } from '@crm/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { useGateway } from './support/use-gateway.js';
import { useOrganization } from './support/use-organization.js';

const gateway = useGateway();
const { organization, expectStatus: send, rows } = useOrganization(gateway);
afterEach(() => expectConsistent({ ...gateway(), organization }));

const reader = () => createTestClient(readTestStack().readUrl, organization.key);

type Data = Readonly<Record<string, unknown>>;

const dataOf = async (method: string, path: string, body?: unknown): Promise<Data> =>
  (await send(method, path, body)).data as Data;
const stage = (label: string): string =>
  organization.pipeline.stages.find((one) => one.label === label)?.id ?? 'no such stage';
const deal = async (name: string, more: object = {}): Promise<string> =>
  String(
    (await dataOf('POST', 'opportunities', { pipeline_id: organization.pipeline.id, opportunity: { name, ...more } }))[
      'opportunity_id'
    ],
  );
const stored = async (id: string): Promise<Data> =>
  (await rows('SELECT o.* FROM opportunities o WHERE o.organization_id = $1 AND o.id = $2', id))[0] ?? {};

test('closes and opens the deals of a stage whose outcome changes, without an event or a new version', async () => {
  const id = await deal('A', { stage_id: stage('New'), deal_size: 33.3 });
  const created = await stored(id);
  expect(created).toMatchObject({ stage_entered_at: created['created_at'], closed_at: null });
  const facts = async () => {
    const answer = await send('PATCH', `opportunities/${id}`, { opportunity: { deal_size: 33.3 } });
    return (answer.data as { opportunity: Record<string, unknown> }).opportunity;
  };
  const events = () => rows('SELECT count(*)::int AS n FROM events WHERE organization_id = $1');
  const before = await events();
  for (const outcome of ['won', 'lost', 'open'] as const) {
    const { stage: changed } = await dataOf('PATCH', `stages/${stage('New')}`, { outcome, probability: 12.5 });
    expect(changed).toMatchObject({ outcome, probability: 12.5 });
    const entered = created['created_at'] as Date;
    expect(await stored(id)).toEqual({ ...created, closed_at: outcome === 'open' ? null : entered });
    const at = entered.toISOString();
    expect(await facts()).toMatchObject({
      ...{ outcome, stage_entered_at: at, closed_at: outcome === 'open' ? null : at, version: 1 },
      ...{ probability: 12.5, weighted_amount: 4.1625 },
    });
  }
  expect(await events()).toEqual(before);
  const wrong = { label: 'Sent', outcome: 'closed' };
  await send('POST', `pipelines/${organization.pipeline.id}/stages`, wrong, 400);
});

describe('the stays of a deal in stages', () => {
  const read = async (id: string, query = {}) =>
    (await reader().send('GET', `/v1/opportunities/${id}/stages`, { key: organization.key, query })).data as {
      readonly stages: readonly Record<string, unknown>[];
      readonly complete_from: string;
      readonly next_cursor: string | null;
    };
  const labels = async (id: string) => (await read(id)).stages.map((visit) => visit['stage_name']);
  const move = (id: string, label: string | null) =>
    send('PATCH', `opportunities/${id}`, { opportunity: { stage_id: label === null ? null : stage(label) } });

  test('are listed in order with their times and keys, in pages', async () => {
    const id = await deal('A', { stage_id: stage('New') });
    await move(id, 'Won');
    await send('PATCH', `opportunities/${id}`, { opportunity: { next_step: 'call' } });
    await move(id, null);
    await move(id, 'Qualified');
    const { stages, complete_from: from } = await read(id);
    const {
      stage_entered_at: entered,
      closed_at: closed,
      created_at: created,
      updated_at: updated,
      stage_api_key_id: key,
    } = await stored(id);
    const instant = (value: unknown) => (value as Date).toISOString();
    expect([from, instant(entered), closed]).toEqual([instant(created), instant(updated), null]);
    expect(stages.map((visit) => [visit['stage_name'], visit['api_key_id']])).toEqual(
      ['New', 'Won', 'Qualified'].map((label) => [label, key]),
    );
    expect(key).not.toBeNull();
    expect(stages[0]).toMatchObject({ opportunity_id: id, entered_at: from, left_at: stages[1]?.['entered_at'] });
    expect(stages[2]).toMatchObject({ entered_at: instant(entered), left_at: null });
    const first = await read(id, { limit: 2 });
    const second = await read(id, { limit: 2, cursor: first.next_cursor ?? '' });
    expect([...first.stages, ...second.stages]).toEqual(stages);
    expect(second.next_cursor).toBeNull();
  });

  test('stay with a deal that is deleted and restored, and continue unless its stage is gone', async () => {
    const id = await deal('A', { stage_id: stage('New') });
    await move(id, 'Won');
    const before = await read(id);
    await send('DELETE', `opportunities/${id}`);
    expect((await reader().send('GET', `/v1/opportunities/${id}/stages`, { key: organization.key })).status).toBe(404);
    expect(await rows('SELECT * FROM stage_visits WHERE organization_id = $1')).toEqual([]);
    await send('POST', 'restore', { object: 'opportunity', id });
    expect(await read(id)).toEqual(before);
    await send('DELETE', `opportunities/${id}`);
    await send('PATCH', `stages/${stage('Won')}`, { is_active: false });
    await send('POST', 'restore', { object: 'opportunity', id });
    expect(await labels(id)).toEqual(['New', 'Won', 'Qualified']);
  });

  test('of two merged deals become those of the kept one', async () => {
    const dealOf = async (domain: string, label: string) => {
      const body = { pipeline_id: organization.pipeline.id, related_objects: { account_domain: domain } };
      const answer = await dataOf('POST', 'opportunities', {
        ...body,
        opportunity: { name: 'A', stage_id: stage(label) },
      });
      return String(answer['opportunity_id']);
    };
    const kept = await dealOf('kept.example', 'New');
    const other = await dealOf('other.example', 'Qualified');
    await move(kept, 'Qualified');
    await move(other, 'Won');
    const accounts = await rows('SELECT domain, id FROM accounts WHERE organization_id = $1 ORDER BY domain');
    await send('POST', `accounts/${String(accounts[0]?.['id'])}/merge`, { from: accounts[1]?.['id'], deals: 'merge' });
    expect(await labels(kept)).toEqual(['New', 'Qualified', 'Won', 'Qualified']);
    const gone = await reader().send('GET', `/v1/opportunities/${other}/stages`, { key: organization.key });
    expect([gone.status, gone.body]).toMatchObject([404, { merged_into: kept }]);
  });
});

test('the summary of stages counts the stays of a period, where they went and how long they took', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 6; n += 1) ids.push(await deal(`Deal ${n}`, { stage_id: stage('New') }));
  const [gone = '', ...others] = ids;
  const move = async (id: string, label: string | null) =>
    send('PATCH', `opportunities/${id}`, { opportunity: { stage_id: label === null ? null : stage(label) } });
  for (const id of others) await move(id, 'Qualified');
  for (const id of others.slice(0, 3)) await move(id, 'Won');
  await move(others[0] ?? '', 'Qualified');
  await move(gone, null);
  // Stays in New of 1 to 6 days, of which the longest began before the period.
  const days = `UPDATE stage_visits v SET entered_at = v.left_at - (p.place_of * interval '1 day') FROM (
    SELECT opportunity_id, row_number() OVER (ORDER BY opportunity_id) AS place_of FROM stage_visits
     WHERE organization_id = $1 AND stage_id = $2) p
    WHERE v.organization_id = $1 AND v.stage_id = $2 AND v.opportunity_id = p.opportunity_id`;
  await rows(days, stage('New'));
  const ask = async (body: object) =>
    reader().send('POST', '/v1/opportunities/stage-summary', { key: organization.key, body });
  const from = new Date(Date.now() - 5.5 * 86_400_000).toISOString();
  const { stages } = (await ask({ pipeline_id: organization.pipeline.id, from })).data as {
    readonly stages: readonly Record<string, unknown>[];
  };
  const day = 86_400;
  const moveTo = (label: string, count: number, rate: number) => ({
    ...{ stage_id: stage(label), stage_name: label, count, rate },
  });
  expect(stages).toMatchObject([
    {
      ...{
        stage_name: 'New',
        outcome: 'open',
        entered: 5,
        left: 5,
        median_seconds: 3 * day,
        p90_seconds: expect.closeTo(4.6 * day) as unknown,
      },
      moves: expect.arrayContaining([
        moveTo('Qualified', expect.any(Number) as never, expect.any(Number) as never),
      ]) as unknown,
    },
    { stage_name: 'Qualified', entered: 6, left: 3, moves: [moveTo('Won', 3, 0.5)] },
    { stage_name: 'Won', entered: 3, left: 1, moves: [moveTo('Qualified', 1, 1 / 3)] },
  ]);
  const reversed = await ask({ pipeline_id: organization.pipeline.id, from: '2026-02-01', to: '2026-01-01' });
  expect([reversed.status, reversed.fieldsAtFault]).toEqual([400, ['to']]);
  expect((await ask({ pipeline_id: organization.id })).status).toBe(404);
  const later = (await ask({ pipeline_id: organization.pipeline.id, from: '9000-01-01' })).data as Data;
  const { created_at: first } = await stored(gone);
  expect(later).toMatchObject({ complete_from: (first as Date).toISOString(), stages: [{ entered: 0 }, {}, {}] });
  const all = (await ask({ pipeline_id: organization.pipeline.id })).data as typeof stages & { stages: typeof stages };
  expect(all.stages[0]).toMatchObject({ entered: 6, left: 6, median_seconds: 3.5 * day });
  const moves = all.stages[0]?.['moves'] as readonly { stage_id: string | null; count: number; rate: number }[];
  expect(moves).toEqual([
    { ...moveTo('Qualified', 5, 5 / 6) },
    { stage_id: null, stage_name: null, count: 1, rate: 1 / 6 },
  ]);
  // The times of this test are not those of the log.
  await rows('DELETE FROM events WHERE organization_id = $1');
});
