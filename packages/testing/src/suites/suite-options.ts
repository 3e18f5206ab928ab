import type { OperationContract } from '@crm/contract';

import type { TestClient, TestRequest } from '../client/test-client.js';
import type { TestOrganization } from '../gateway/test-organization.js';

/** What the suites that hold for every operation need. Functions, because tests start their gateway before all of them. */
export interface SuiteOptions {
  readonly contract: OperationContract;
  readonly client: () => TestClient;
  readonly organization: () => TestOrganization;
  /** A request that the operation answers with 200 every time. */
  readonly goodRequest: () => TestRequest;
  /** A client of a further gateway on the same database that refuses failed authentications after so many a minute. */
  readonly clientWithFailureLimit: (failedAuthentications: number) => Promise<TestClient>;
}
