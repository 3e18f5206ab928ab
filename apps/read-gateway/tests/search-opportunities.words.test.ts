import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { walkSearch } from './property/walk.js';
import { copyRecord } from './support/bulk-rows.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';

/** More than are read in order before all matching records are fetched instead. */
const many = 5_200;
const isMatch = (n: number): boolean => n === 1 || n > many - 100;

let gateway: TestGateway;
let matching: readonly string[];

/** A busy pipeline whose matching deals lie far apart, and a quiet one in which all match and are older. */
beforeAll(async () => {
  gateway = await startTestGateway();
  const { database, organization } = gateway;
  const { addDeals } = recordsOf(
    () => database,
    () => organization,
  );
  const [busy = '', quiet = ''] = await addDeals([
    { name: 'template' },
    { name: 'template', pipelineId: organization.otherPipeline.id },
  ]);
  const copy = (id: string, count: number, word: string, newest: string) =>
    copyRecord(database, organization.id, {
      objectType: 'opportunity',
      id,
      count,
      columns: {
        name: `${word} || n`,
        name_fold: `${word} || n`,
        search_text: `${word} || n`,
        created_at: `timestamptz '${newest}' - n * interval '1 minute'`,
        updated_at: `timestamptz '${newest}' - n * interval '1 minute'`,
      },
    });
  const inBusy = await copy(
    busy,
    many,
    `CASE WHEN n = 1 OR n > ${many - 100} THEN 'needle ' ELSE 'hay ' END`,
    '2026-06-01T00:00Z',
  );
  const inQuiet = await copy(quiet, 80, `'needle '`, '2020-06-01T00:00Z');
  matching = [...inBusy.filter((_id, index) => isMatch(index + 1)), ...inQuiet];
});
afterAll(() => gateway.stop());

describe('200: words over all pipelines', () => {
  test.each([7, 50, 150, 500])('pages of %i show the matches of every pipeline in one order', async (limit) => {
    const walked = await walkSearch(gateway.client, 'opportunity', { query: 'NEEDLE', limit });
    expect(walked.map(({ id }) => id)).toEqual(matching);
  });
});
