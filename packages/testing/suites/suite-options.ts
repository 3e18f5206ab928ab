import type { OperationContract } from '@crm/contract';

import type { TestClient, TestRequest } from '@crm/testing';
import type { TestOrganization } from '@crm/testing';

/** The inputs of the suites for every operation. Functions, because tests start their gateway in `beforeAll`. */
export interface SuiteOptions {
  readonly contract: OperationContract;
  readonly client: () => TestClient;
  readonly organization: () => TestOrganization;
  /** A request that the operation answers with 200 every time. */
  readonly goodRequest: () => TestRequest;
  /**
   * A client of another gateway on the same database, which refuses failed authentications after this many per minute.
   */
  readonly clientWithFailureLimit: (failedAuthentications: number) => Promise<TestClient>;
}
