export { isAlive } from './postmaster.js';
export { startLocalPostgres, type LocalPostgres, type LocalPostgresOptions } from './start-local-postgres.js';
