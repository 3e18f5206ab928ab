/** Time limits of a gateway's sessions, in milliseconds. */
export const sessionLimitsMs = {
  statement_timeout: 5_000,
  lock_timeout: 3_000,
  idle_in_transaction_session_timeout: 10_000,
} as const;

/** One statement may take two of the server's processes: one core more for what reads much, and not all of them from the others. */
export const parallelWorkers = 1;
