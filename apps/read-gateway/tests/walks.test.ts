import { reportFigure } from '@crm/testing';
import { beforeAll, expect, test } from '@jest/globals';
import { walkSearch } from './support/walk.js';
import { startTestGateway, useGateway } from './support/gateway.js';
import { seedSubject } from './support/seed-subject.js';
import { subjects } from './support/subject.js';
import { type Crowd, makeCrowd } from './walks/crowd.js';

const sorts = ['name', 'seats:desc', 'tier', 'term.start', 'created_at', 'updated_at:desc'];
const rows = 30;

const gateway = useGateway(startTestGateway);
let crowd: Crowd;

beforeAll(async () => {
  const ids = await seedSubject(gateway, subjects.account);
  crowd = await makeCrowd(gateway.database, gateway.organization.id, 'account', Object.values(ids), rows);
});

test('R5: a walk by two fields finds every record, whether it has a value of both, one or none', async () => {
  const organization = await gateway.createOrganization();
  const values = [undefined, 1, 2].flatMap((amount) =>
    [undefined, 1, 2].map((closeDateMs) => ({ amount, closeDateMs })),
  );
  const deals = [...values, ...values].map((deal, index) => ({
    name: `Deal ${index}`,
    ...(JSON.parse(JSON.stringify(deal)) as object),
  }));
  await gateway.records(organization).addDeals(deals, deals.length);
  const client = gateway.clientOf(organization);
  for (const directions of [
    ['asc', 'asc'],
    ['asc', 'desc'],
    ['desc', 'asc'],
    ['desc', 'desc'],
  ]) {
    const sort = ['amount', 'close_date'].map((field, index) => ({ field, direction: directions[index] }));
    const walk = async (limit: number) =>
      (await walkSearch(client, 'opportunity', { sort, limit, pipeline_id: organization.pipeline.id })).map(
        ({ id }) => id,
      );
    const all = await walk(500);
    expect(new Set(all).size).toBe(deals.length);
    for (const limit of [1, 2, 5]) expect(await walk(limit)).toEqual(all);
  }
});

// `walks.system.test.ts` walks through many records of every object, by every field.
test('R5: a walk lists each unchanged record once, in one order, while others are added, changed and deleted', async () => {
  let faults = 0;
  for (const sort of sorts) {
    const walk = async (limit: number): Promise<readonly string[]> => {
      const walked = await walkSearch(gateway.client, 'account', { sort, limit }, () => crowd.stir());
      return walked.map(({ id }) => id).filter((id) => crowd.still.has(id));
    };
    const [inPages, atOnce] = [await walk(7), await walk(500)];
    expect({ sort, walked: inPages }).toEqual({ sort, walked: atOnce });
    faults += crowd.still.size - new Set(inPages).size + (inPages.length - new Set(inPages).size);
  }
  reportFigure('R5', `account records missed or repeated of ${rows * sorts.length} walked`, faults, 0);
  expect(faults).toBe(0);
});
