import type { OperationContract } from '@crm/contract';
import { type TestRequest } from '@crm/testing';
import {
  describeBodies,
  describeHead,
  describeRateLimits,
  describeWrongMethods,
  type SuiteOptions,
} from '@crm/testing/suites';
import { describe, expect, test } from '@jest/globals';
import type { TestGateway } from './gateway.js';

/**
 * The common answers of all operations: limits, methods and unreadable bodies.
 * @param contract with the path that is called; a getter if the path contains an id that a test creates
 */
export const describeEveryOperation = (
  contract: OperationContract,
  gateway: () => TestGateway,
  goodRequest: () => TestRequest,
): void => {
  const options: SuiteOptions = {
    contract,
    client: () => gateway().client,
    organization: () => gateway().organization,
    goodRequest,
    clientWithFailureLimit: (failures) => gateway().startAnother({ RATE_LIMIT_FAILED_AUTH: String(failures) }),
  };
  if (contract.params === undefined) describeWrongMethods(options);
  else describeWrongMethodsOfRecord(options);
  if (contract.body !== undefined) describeBodies(options);
  if (contract.method === 'get') describeHead(options);
  describeRateLimits(options);
};

/** For the path of a record: paths next to it are those of other records, so only the method can be wrong. */
const describeWrongMethodsOfRecord = ({ contract, client }: SuiteOptions): void => {
  describe('405', () => {
    test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('refuses %s and lists the allowed methods', async (method) => {
      const answer = await client().send(method, contract.path);
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
    });
  });
};

/** A contract whose path is that of one record, which exists only once the tests run. */
export const contractOf = <C extends OperationContract>(contract: C, id: () => string): C => ({
  ...contract,
  get path() {
    return contract.path.replace(/\{\w+\}/, id());
  },
});
