export { EventFold, type LoggedEvent } from './change-log/fold-events.js';
export { Answer, comparableHeaders } from './client/answer.js';
export { countAnswers } from './client/answer-check.js';
export { createTestClient, type TestClient, type TestRequest } from './client/test-client.js';
export { readCitusUrl, writeServerUrl } from './citus.js';
export { createTestDatabase, type TestDatabase } from './create-test-database.js';
export { findFreePort } from './gateway/free-port.js';
export { startGatewayProcess, startGatewayProcesses, type GatewayProcess } from './gateway/gateway-process.js';
export {
  createTestOrganization,
  type OrganizationTools,
  type TestField,
  type TestOrganization,
} from './gateway/test-organization.js';
export { startFaultProxy, type FaultProxy } from './fault-proxy.js';
export { type LimitedRole, startLimitedRole } from './limited-role.js';
export { openDebianPostgres, type DebianPostgres, type DebianServer } from './debian-postgres.js';
export { startOwnPostgres, type OwnPostgres } from './own-postgres.js';
export { pgBouncerTranslates, startPgBouncer, type PgBouncer } from './pgbouncer.js';
export { endProgram, isOk, waitForProgram } from './program.js';
export { reportFigure } from './report-figure.js';
export { startReplicatedPostgres, type ReplicatedPostgres } from './replicated-postgres.js';
export { startCountedPostgres, type CountedPostgres } from './counted-postgres.js';
export { hostileText } from './hostile/hostile-input.js';
export { runPromtool, startPrometheus, type TestPrometheus } from './prometheus.js';
export { combiningMarks, withEachText } from './hostile/combining-marks.js';
export { documentedOperations, type DocumentedOperation, type OpenApiDocument } from './openapi-ids.js';
export { testRoleNames, urlForRole, type TestRole } from './test-roles.js';
export { isSoak, propertyRuns, testSize } from './test-size.js';
export { createTestRedis, type TestRedis } from './redis-server.js';
export { startTlsProxy, type TlsProxy } from './tls-proxy.js';
export { startTestServer } from './start-test-server.js';
export { publishTestStack, readTestStack, type TestStack } from './test-server.js';
export { attributeOf, type CollectedSpan, type Collector, startCollector } from './collector.js';
