/** `problem`: broken, or losing data. `warning`: works, but should be changed. `skipped`: could not be checked. */
export type FindingStatus = 'ok' | 'warning' | 'problem' | 'skipped';

/** What one check found. */
export interface Finding {
  readonly check: string;
  readonly status: FindingStatus;
  readonly message: string;
  /** What to do. Every problem and warning has it. */
  readonly advice?: string;
}

/** A check that passed. */
export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message });

/** A check that could not run. */
export const skipped = (check: string, message: string): Finding => ({ check, status: 'skipped', message });

/** A problem to fix. */
export const problem = (check: string, message: string, advice: string): Finding => ({
  check,
  status: 'problem',
  message,
  advice,
});

/** A warning to consider. */
export const warning = (check: string, message: string, advice: string): Finding => ({
  check,
  status: 'warning',
  message,
  advice,
});
