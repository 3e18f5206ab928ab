import type { OperationContract } from '@crm/contract';
import {
  describeBodies,
  describeHead,
  describeRateLimits,
  describeWrongMethods,
  type SuiteOptions,
  type TestRequest,
} from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import type { TestGateway } from './gateway.js';

/**
 * What each operation answers alike: limits, methods, and bodies that cannot be read.
 * @param contract its path as it is called; where that has an id of a test, a getter
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

/** Beside the path of a record there are other records, so that only the method can be wrong. */
const describeWrongMethodsOfRecord = ({ contract, client }: SuiteOptions): void => {
  describe('405', () => {
    test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
      '%s is refused with the methods that the path takes',
      async (method) => {
        const answer = await client().send(method, contract.path);
        expect(answer.status).toBe(405);
        expect(answer.headers.get('allow')).toBe('GET, HEAD');
      },
    );
  });
};

/** A contract whose path is that of one record, which tests know only once they have made it. */
export const contractOf = <C extends OperationContract>(contract: C, id: () => string): C => ({
  ...contract,
  get path() {
    return contract.path.replace(/\{\w+\}/, id());
  },
});
