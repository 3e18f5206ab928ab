export { describeDatabaseFaults, type FaultySubject } from './describe-database-faults.js';
export { describeEveryOperation } from './describe-every-operation.js';
export { describeOutageLog } from './describe-outage-log.js';
export { describeTraces } from './describe-traces.js';
export type { GatewaySubject } from './gateway-subject.js';
export { setupTools } from './setup-tools.js';
