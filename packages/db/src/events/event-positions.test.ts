import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventPositions } from './event-positions.js';

test('starts no extra query if all callers leave during a query and others come', async () => {
  const endQuery: (() => void)[] = [];
  const positions = new EventPositions(async () => {
    await new Promise<void>((resolve) => endQuery.push(resolve));
    return [];
  });
  const queries = async (count: number) => {
    while (endQuery.length < count) await sleep(10);
  };
  const leave = positions.whenPast('a', 1, 0, () => undefined);
  await queries(1);
  leave();
  const leaveAgain = positions.whenPast('a', 1, 0, () => undefined);
  await queries(2);
  // The end of the first query must not start a third one while the second one runs.
  endQuery[0]?.();
  await sleep(600);
  expect(endQuery).toHaveLength(2);
  endQuery[1]?.();
  await queries(3);
  leaveAgain();
  endQuery[2]?.();
});
