export * from './administration.js';
export * from './administration-database.js';
export type {
  ApiKeyRow,
  KeyLimits,
  KeyRotation,
  NewApiKey,
  NewKeyText,
  RotatedKey,
} from './administration/api-keys.js';
export type { AuditAction, AuditEventRow, AuditOrigin } from './administration/audit.js';
export { rebuildRecords } from './administration/rebuild-records.js';
export type { OrganizationRow } from './administration/organizations.js';
export * from './api-keys.js';
export * from './organization-setup.js';
export { createSetupCache, type SetupCache } from './setup-cache.js';
export {
  type Connection,
  type Database,
  type DatabaseOptions,
  openDatabase,
  type PoolState,
  type Queries,
  type TenantStatement,
} from './database.js';
export { ServerError } from './connection/server-error.js';
export { isConnectionError, isRefusedValue, sqlStateIn } from './database-errors.js';
export { ItemsRefused } from './errors.js';
export type { AvailabilityListener } from './availability.js';
export * from './read-router.js';
export { EventPositions } from './events/event-positions.js';
export * from './events/event-heads.js';
export * from './events/read-events.js';
export * from './events/read-history.js';
export { distribute } from './distribution/distribute.js';
export type { DistributeOptions, Distribution } from './distribution/distribute-tables.js';
export {
  type DistributionFacts,
  inspectDistribution,
  type WorkerFacts,
  workerSettings,
} from './distribution/inspect-distribution.js';
export { inspectServer, type ServerFacts } from './inspect-server.js';
export * from './inspect-upkeep.js';
export { dumpSchema } from './migrate/dump-schema.js';
export { inspectSchema, migrate, type MigrateOptions, type SchemaState } from './migrate/migrate.js';
export { type FunctionSources, type Migration, readFunctions, readMigrations } from './migrate/migrations.js';
export * from './page/explain-page.js';
export * from './page/find-duplicates.js';
export * from './page/stage-summary.js';
export * from './page/stage-visits.js';
export * from './page/list-page.js';
export * from './page/notes.js';
export * from './page/page-request.js';
export type { PartSteps, SizeRange, Step } from './page/plan.js';
export {
  findVersion,
  readRecord,
  findMissingIds,
  recordExists,
  type RecordKey,
  type RecordText,
} from './page/record.js';
export * from './page/summarize.js';
export { applyRoles } from './roles/apply-roles.js';
export { type RoleNames, roleSql } from './roles/role-sql.js';
export { gatewayApplicationName } from './schema-history/gateway-requirement.js';
export { describeUnmet } from './schema-history/schema-history.js';
export { connectionAdvice } from './start-up/connection-advice.js';
export { findWriteProblem } from './start-up/find-write-problem.js';
export { findPoolerFaults } from './start-up/judge-server.js';
export { encodingProblem } from './schema-history/database-encoding.js';
export { readSessionFacts } from './start-up/read-facts.js';
export { isolationLevel } from './session-limits.js';
export { type StartUp, type StartUpListener, watchStartUp } from './start-up/watch-start-up.js';
export * from './setup/change-setup.js';
export * from './setup/move-opportunities.js';
export * from './setup/refresh-records.js';
export * from './setup/setup-change.js';
export * from './setup/setup-wire.js';
export * from './webhooks/attempts.js';
export * from './webhooks/deliveries.js';
export * from './webhooks/endpoints.js';
export * from './webhooks/read-deliveries.js';
export * from './webhooks/states.js';
export * from './write/accounts.js';
export * from './write/contacts.js';
export * from './write/deletions.js';
export * from './write/merges.js';
export * from './write/notes.js';
export * from './write/opportunities.js';
export * from './write/restore.js';
export { createRides, type RunCreate } from './write/rides.js';
export * from './write/upkeep.js';
export * from './write/write.js';
export * from './write/write-many.js';
