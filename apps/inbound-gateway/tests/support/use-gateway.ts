import { afterAll, beforeAll } from '@jest/globals';
import { expectConsistent } from './expect-consistent.js';
import { startTestGateway, type TestGateway } from './gateway.js';

/**
 * Starts the shared gateway before the tests of a file. After them, checks every record that they left.
 * @param prepare runs before the first test
 */
export const useGateway = (prepare?: (gateway: TestGateway) => Promise<unknown>): (() => TestGateway) => {
  let gateway: TestGateway | undefined;
  const current = (): TestGateway => {
    if (gateway === undefined) throw new Error('The gateway has not started yet');
    return gateway;
  };
  beforeAll(async () => {
    gateway = await startTestGateway();
    await prepare?.(gateway);
  });
  afterAll(async () => {
    await expectConsistent(current());
    await current().stop();
  });
  return current;
};
