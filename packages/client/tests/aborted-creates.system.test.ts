import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestCrm, type TestCrm } from './support/crm.js';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startTestCrm(readTestStack());
});
afterAll(() => crm.stop());

test('a bulk create waits for its own aborted first try and gets one answer, whenever that was aborted', async () => {
  let retried = 0;
  for (const giveUpAfterMs of [5, 10, 15, 20, 30, 45]) {
    let tries = 0;
    const hasty = crm.clientWith({
      fetch: (url, init) => {
        tries += 1;
        return fetch(url, tries === 1 ? { ...init, signal: AbortSignal.timeout(giveUpAfterMs) } : init);
      },
    });
    const items = Array.from({ length: 100 }, (_, n) => ({ email: `p${n}@hasty-${giveUpAfterMs}.example` }));
    const { data } = await hasty.contacts.bulkCreate(items);
    expect(data.results.filter(({ record_status }) => record_status === 'created')).toHaveLength(100);
    retried += tries - 1;
  }
  expect(retried).toBeGreaterThan(0);
});
