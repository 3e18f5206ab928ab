export { describeDatabaseFaults, type FaultySubject } from './describe-database-faults.js';
export { describeOutageLog } from './describe-outage-log.js';
export { describeTraces, type TracedGateway } from './describe-traces.js';
export type { GatewaySubject } from './gateway-subject.js';
export { describeBodies } from './describe-bodies.js';
export { describeHead } from './describe-head.js';
export { describeRateLimits, describeWrongMethods } from './describe-refusals.js';
export { describeUnauthorized } from './describe-unauthorized.js';
export type { SuiteOptions } from './suite-options.js';
