import { searchOpportunities } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { walkSearch } from './property/walk.js';
import { copyRecord } from './support/bulk-rows.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';

/** More rows than the search reads in order before it fetches all matching records instead. */
const many = 5_200;
const isMatch = (n: number): boolean => n === 1 || n > many - 100;

let gateway: TestGateway;
let matching: readonly string[];

/** A busy pipeline whose matching deals are far apart, and a quiet one with only matching, older deals. */
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
        normalized_name: `${word} || n`,
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
  test.each([7, 50, 150, 500])('pages of %i list the matches of all pipelines in one order', async (limit) => {
    const walked = await walkSearch(gateway.client, 'opportunity', { query: 'NEEDLE', limit });
    expect(walked.map(({ id }) => id)).toEqual(matching);
  });
});

describe('200: every part of a text finds it in any case', () => {
  const names = ['ΟΔΥΣ Α', 'ὀδὸς ΟΣ.', 'İST İş', 'ıŞI'];
  const found = async (body: object): Promise<(string | null)[]> => {
    const { data } = await gateway.client.call(searchOpportunities, { body });
    return data.opportunities.map(({ name }) => name);
  };

  beforeAll(async () => {
    const { addDeals } = recordsOf(
      () => gateway.database,
      () => gateway.organization,
    );
    await addDeals(names.map((name) => ({ name })));
  });

  test.each(names)('%s', async (name) => {
    const points = Array.from(name);
    for (let start = 0; start < points.length; start += 1) {
      for (let end = start + 1; end <= points.length; end += 1) {
        const part = points.slice(start, end).join('');
        const filter = (operator: string) => ({ filters: { field: 'name', operator, value: part } });
        if (part.trim() !== '') expect(await found({ query: part })).toContain(name);
        expect(await found(filter('contains'))).toContain(name);
        if (start === 0) expect(await found(filter('starts_with'))).toContain(name);
        if (end === points.length) expect(await found(filter('ends_with'))).toContain(name);
      }
    }
    const isOne = { field: 'name', operator: 'in', value: [name.toLowerCase().replaceAll('i\u0307', 'i')] };
    expect(await found({ filters: isOne })).toEqual([name]);
  });

  test('finds another spelling of sigma', async () => {
    const filters = { field: 'name', operator: 'eq', value: 'οδυσ α' };
    expect(await found({ filters })).toEqual(['ΟΔΥΣ Α']);
  });
});
