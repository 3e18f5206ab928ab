import { afterEach, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { useGateway } from './support/use-gateway.js';
import { useOrganization } from './support/use-organization.js';

const gateway = useGateway();
const { organization, expectStatus: send, rows } = useOrganization(gateway);
afterEach(() => expectConsistent({ ...gateway(), organization }));

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
