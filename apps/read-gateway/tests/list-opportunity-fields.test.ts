import { listOpportunityFields as contract } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeFields } from './support/describe-fields.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { defineSubjectFields } from './support/seed-subject.js';
import { subjects } from './support/subject.js';

const unknownId = '01890000-0000-7000-8000-000000000000';
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  await defineSubjectFields(gateway.organization, subjects.opportunity);
});
afterAll(() => gateway.stop());

describeFields(contract, subjects.opportunity, () => gateway);

test('additional_contacts has its own type, contact_list, and no metadata', async () => {
  const { data } = await gateway.client.call(contract);
  const field = data.fields.find(({ name }) => name === 'additional_contacts');
  expect(field).toMatchObject({ attribute_type: 'contact_list', metadata: null, is_custom: false });
});

describe('pipelines', () => {
  const list = (pipelineId: string) => gateway.client.call(contract, { query: { pipeline_id: pipelineId } });

  describe('200', () => {
    test('returns the fields of all pipelines and its own, with the pipelines of each', async () => {
      const fresh = await gateway.createOrganization();
      const { pipeline, otherPipeline } = fresh;
      const own = { objectType: 'opportunity', attributeType: 'string' } as const;
      await fresh.defineField({ ...own, slug: 'everywhere' });
      await fresh.defineField({ ...own, slug: 'of_first', pipelineIds: [pipeline.id] });
      await fresh.defineField({ ...own, slug: 'of_other', pipelineIds: [otherPipeline.id] });
      const customOf = async (query: Readonly<Record<string, string>>) => {
        const { data } = await gateway.clientOf(fresh).call(contract, { query });
        return data.fields.filter((field) => field.is_custom).map(({ name, pipeline_ids: ids }) => [name, ids]);
      };
      const [everywhere, ofFirst, ofOther] = [
        ['everywhere', null],
        ['of_first', [pipeline.id]],
        ['of_other', [otherPipeline.id]],
      ];
      expect(await customOf({})).toEqual([everywhere, ofFirst, ofOther]);
      expect(await customOf({ pipeline_id: pipeline.id.toUpperCase() })).toEqual([everywhere, ofFirst]);
      expect(await customOf({ pipeline_id: otherPipeline.id })).toEqual([everywhere, ofOther]);
    });
  });

  describe('400', () => {
    test('refuses a malformed pipeline, and a cursor of another pipeline', async () => {
      expect((await list('x')).fieldsAtFault).toEqual(['pipeline_id']);
      const { pipeline, otherPipeline } = gateway.organization;
      const query = { pipeline_id: pipeline.id, limit: 1 };
      const cursor = (await gateway.client.call(contract, { query })).data.next_cursor ?? '';
      for (const others of [{ pipeline_id: otherPipeline.id }, {}]) {
        const answer = await gateway.client.call(contract, { query: { ...others, limit: 1, cursor } });
        expect(answer.fieldsAtFault).toEqual(['cursor']);
      }
    });
  });

  describe('404', () => {
    test('answers an unknown pipeline and one of another organization with the same bytes', async () => {
      const unknown = await list(unknownId);
      expect(unknown.status).toBe(404);
      expect((await list(gateway.stranger.pipeline.id)).comparable).toBe(unknown.comparable);
    });
  });
});
