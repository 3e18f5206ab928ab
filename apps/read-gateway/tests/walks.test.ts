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
