/** Time limits of a gateway's sessions, in milliseconds. */
export const sessionLimitsMs = {
  statement_timeout: 5_000,
  lock_timeout: 3_000,
  idle_in_transaction_session_timeout: 10_000,
} as const;

/** Each statement may use one parallel worker, so two processes. Large reads get a second core without taking all cores from others. */
export const parallelWorkers = 1;
