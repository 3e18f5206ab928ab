/** Time limits of a gateway's sessions, in milliseconds. */
export const sessionLimitsMs = {
  statement_timeout: 5_000,
  lock_timeout: 3_000,
  idle_in_transaction_session_timeout: 10_000,
} as const;

/**
 * How the server plans a gateway's statements.
 *
 * - Each statement may use one parallel worker, so two processes. Large reads get a second core without taking all cores from others.
 * - The plan of a read is made once per connection and used for all values, because planning takes several times as long as running. The
 *   SQL of a page is written so that one index fits, whatever the values; `npm run bench:plans` compares with plans for the values.
 */
export const plannerSettings = (isForReads: boolean): Readonly<Record<string, string | number>> => ({
  max_parallel_workers_per_gather: 1,
  plan_cache_mode: isForReads ? 'force_generic_plan' : 'auto',
});
