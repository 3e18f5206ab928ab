export { describeDatabaseFaults, type FaultySubject } from './describe-database-faults.js';
export { describeEveryOperation } from './describe-every-operation.js';
export { describeTraces } from './describe-traces.js';
export { setupTools } from './setup-tools.js';
export { createMigratedDatabase, createTestOrganization } from './test-organization.js';
