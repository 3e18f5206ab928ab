import { afterEach, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { untilAWriteWaitsFor } from './support/until-a-write-waits.js';
import { useGateway } from './support/use-gateway.js';
import { useOrganization } from './support/use-organization.js';

const gateway = useGateway();
const { organization, expectStatus: send, rows } = useOrganization(gateway);
afterEach(() => expectConsistent({ ...gateway(), organization }));

const stage = (label: string): string =>
  organization.pipeline.stages.find((one) => one.label === label)?.id ?? 'no such stage';

describe('a busy stage or owner', () => {
  const create = (name: string, more: object, related: object = {}) => {
    const { key, pipeline } = organization;
    const body = { pipeline_id: pipeline.id, opportunity: { name, ...more }, related_objects: related };
    return gateway().client.send('POST', '/v1/inbound/opportunities', { key, body });
  };
  /** Four writers that create deals until `work` has ended. @returns the statuses of their last calls that were not 200 */
  const beside = async (work: () => Promise<unknown>, more: object, related: object = {}) => {
    let isDone = false;
    const refused = new Set<number>();
    const write = async (writer: number): Promise<void> => {
      for (let index = 0; !isDone; index += 1) {
        const { status } = await create(`${writer}-${index}`, more, related);
        if (status !== 200) refused.add(status);
      }
    };
    const writers = [1, 2, 3, 4].map(write);
    await work().finally(() => (isDone = true));
    await Promise.all(writers);
    return [...refused];
  };

  test('is closed to new deals, and then emptied, however many writers fill it', async () => {
    const [from, to] = [stage('New'), stage('Won')];
    for (let index = 0; index < 10; index += 1) await create(`Deal ${index}`, { stage_id: from });
    const archive = { is_active: false, move_opportunities_to: to };
    const refused = await beside(() => send('PATCH', `stages/${from}`, archive), { stage_id: from });
    expect([[], [400], [409], [400, 409], [409, 400]]).toContainEqual(refused);
    const text = 'SELECT DISTINCT stage_id FROM opportunities WHERE organization_id = $1';
    expect(await rows(text)).toEqual([{ stage_id: to }]);
  });

  test('passes its deals to the new owner, however many writers give it more', async () => {
    const added = await send('POST', 'members', { email: 'heir@team.example', name: 'Heir' });
    const { member: heir } = added.data as { readonly member: { readonly member_id: string } };
    const { id, email } = organization.member;
    const remove = () => send('DELETE', `members/${id}?reassign_to=${heir.member_id}`);
    expect([[], [400]]).toContainEqual(await beside(remove, {}, { owner_email: email }));
    const text = 'SELECT DISTINCT owner_id FROM opportunities WHERE organization_id = $1';
    expect(await rows(text)).toEqual([{ owner_id: heir.member_id }]);
  });

  test('is 409 with the number of moved and remaining deals if some cannot move; a repeated call continues', async () => {
    const [from, to] = [stage('New'), stage('Won')];
    await create('A', { stage_id: from });
    const holder = await gateway().writeDatabase.pool.connect();
    await holder.query('BEGIN');
    await holder.query(`SELECT lock_organization($1, 'exclusive')`, [organization.id]);
    const archive = { is_active: false, move_opportunities_to: to };
    const refused = send('PATCH', `stages/${from}`, archive, 409);
    await untilAWriteWaitsFor(holder, gateway().writeDatabase);
    // Another gateway archives the target meanwhile.
    await holder.query('UPDATE stages SET is_active = false WHERE organization_id = $1 AND id = $2', [
      organization.id,
      to,
    ]);
    await holder.query('COMMIT');
    expect((await refused).body).toMatchObject({ counts: { opportunities: 1, moved: 0 } });
    await holder.query('UPDATE stages SET is_active = true WHERE organization_id = $1 AND id = $2', [
      organization.id,
      to,
    ]);
    holder.release();
    await send('PATCH', `stages/${from}`, archive);
    expect(await rows('SELECT stage_id FROM opportunities WHERE organization_id = $1')).toEqual([{ stage_id: to }]);
  });
});
