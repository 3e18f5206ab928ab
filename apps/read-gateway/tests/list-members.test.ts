import { listMembers as contract } from '@crm/contract';
import { administration, removeMemberChange } from '@crm/db';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

describe('200', () => {
  test('lists the people of the organization by email, including former members', async () => {
    const fresh = await gateway.createOrganization();
    const { addMember, changeSetup } = administration(gateway.database);
    const { id } = await addMember({ organizationId: fresh.id, email: 'ann@team.example', name: 'Ann' });
    await changeSetup(fresh.id, [removeMemberChange(id, true)]);
    const { members, ...page } = (await gateway.clientOf(fresh).call(contract)).data;
    expect(page).toEqual({ has_more: false, next_cursor: null, limit: 100 });
    const created = { created_at: expect.any(String) };
    expect(members).toEqual([
      { member_id: id, email: 'ann@team.example', name: 'Ann', is_active: false, ...created },
      { member_id: fresh.member.id, email: 'owner@team.example', name: 'Olga Owner', is_active: true, ...created },
    ]);
  });

  test('shows each member once in pages', async () => {
    const fresh = await gateway.createOrganization();
    const { addMember } = administration(gateway.database);
    for (const name of ['a', 'b', 'z']) {
      await addMember({ organizationId: fresh.id, email: `${name}@team.example`, name });
    }
    const client = gateway.clientOf(fresh);
    const first = (await client.call(contract, { query: { limit: 2 } })).data;
    const second = (await client.call(contract, { query: { limit: 2, cursor: first.next_cursor ?? '' } })).data;
    expect([...first.members, ...second.members].map(({ email }) => email.charAt(0))).toEqual(['a', 'b', 'o', 'z']);
    expect(second.has_more).toBe(false);
  });
});

describe('400', () => {
  test.each(['limit=0', 'limit=501', 'cursor=x', 'q=a', 'sort=name'])(
    'refuses %s and names the parameter',
    async (query) => {
      const answer = await gateway.client.call(contract, { query });
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual([query.slice(0, query.indexOf('='))]);
    },
  );
});
