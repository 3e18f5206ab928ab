import type { OperationContract } from '@crm/contract';
import { describeBodies, describeRateLimits, describeWrongMethods, type SuiteOptions } from '@crm/testing/suites';
import type { TestGateway } from './gateway.js';

/** The common answers of all creates: limits, methods and unreadable bodies. */
export const describeEveryOperation = (
  contract: OperationContract,
  gateway: () => TestGateway,
  goodBody: () => Readonly<Record<string, unknown>>,
): void => {
  const options: SuiteOptions = {
    contract,
    client: () => gateway().client,
    organization: () => gateway().organization,
    goodRequest: () => ({ body: goodBody() }),
    clientWithFailureLimit: (failures) => gateway().startAnother({ RATE_LIMIT_FAILED_AUTH: String(failures) }),
  };
  describeWrongMethods(options);
  describeBodies(options);
  describeRateLimits(options);
};
