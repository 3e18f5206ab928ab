import type { OperationContract } from '@crm/contract';
import type { Answer } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import type { TestGateway } from './gateway.js';

/** The common refusals of a summary of any object. */
export const describeSummaryRefusals = (contract: OperationContract, gateway: () => TestGateway): void => {
  const send = (body: unknown): Promise<Answer> => gateway().client.call(contract, { body });

  describe('400', () => {
    test.each([
      [{ group_by: ['nope'] }, ['group_by[0]']],
      [{ group_by: ['created_at:month', 'created_at'] }, ['group_by[1]']],
      [{ group_by: ['created_at:month', 'created_at:month'] }, ['group_by[1]']],
      [{ group_by: ['secret'] }, ['group_by[0]']],
      [{ group_by: ['created_at:day', 'created_at:week', 'created_at:month'] }, ['group_by']],
      [{ group_by: 'created_at:day' }, ['group_by']],
      [{ group_by: [1] }, ['group_by[0]']],
      [{ measures: ['sum:nope', 'count', 'median:version'] }, ['measures[0]', 'measures[2]']],
      [{ measures: ['sum:custom__secret'] }, ['measures[0]']],
      [{ measures: ['sum:created_at'] }, ['measures[0]']],
      [{ measures: Array(11).fill('count') }, ['measures']],
      [{ limit: 0 }, ['limit']],
      [{ limit: 1_001 }, ['limit']],
      [{ limit: '10' }, ['limit']],
      [{ cursor: 'x' }, ['cursor']],
      [{ sort: 'name' }, ['sort']],
      [{ fields: 'name' }, ['fields']],
      [{ query: 'x'.repeat(201) }, ['query']],
      [{ query: 'a', q: 'b' }, ['q']],
      [{ filters: [{ field: 'nope', operator: 'eq', value: 1 }] }, ['filters[0].field']],
    ])('refuses %j', async (body, paths) => {
      const answer = await send(body);
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual(paths);
    });

    test('names the faults of groups, measures and filters in one answer', async () => {
      const filters = { field: 'name', operator: 'gt', value: 1 };
      const answer = await send({ group_by: ['x'], measures: ['sum:x'], filters });
      expect(answer.fieldsAtFault).toEqual(['filters.operator', 'group_by[0]', 'measures[0]']);
    });
  });
};
