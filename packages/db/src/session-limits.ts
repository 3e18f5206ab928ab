/** Time limits of a gateway's sessions, in milliseconds. */
export const sessionLimitsMs = {
  statement_timeout: 5_000,
  lock_timeout: 3_000,
  idle_in_transaction_session_timeout: 10_000,
} as const;

/**
 * The isolation level of every session. A write that waited for another one must see what that one has committed. Under `repeatable
 * read` or `serializable`, the default of some servers, it would fail instead (40001).
 */
export const isolationLevel = 'read committed';

/** Each statement may use one parallel worker, so two processes. Large reads get a second core without taking all cores from others. */
export const parallelWorkers = 1;

/**
 * Whether the server compiles the plans of statements that it expects to take long. It compiles for up to 100 ms, more than any of our
 * statements needs without it, and estimates many of them far too dear.
 */
export const jit = 'off';

/**
 * How the server plans reads, as SQL. The plan of a read is made once per connection and used for all values, because planning takes
 * several times as long as running. The SQL of a page is written so that one index fits, whatever the values; `npm run bench:plans`
 * compares with plans for the values. Citus cannot make such a plan of a statement on several tables.
 */
export const readPlanMode = `CASE WHEN EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN 'auto' ELSE 'force_generic_plan' END`;
