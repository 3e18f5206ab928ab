/** `problem`: it does not work or loses data. `warning`: it works and should be otherwise. `skipped`: could not be checked. */
export type FindingStatus = 'ok' | 'warning' | 'problem' | 'skipped';

/** What one check found. */
export interface Finding {
  readonly check: string;
  readonly status: FindingStatus;
  readonly message: string;
  /** What to do; always there with a problem or a warning. */
  readonly advice?: string;
}

/** A finding that is well. */
export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message });

/** A finding that there was nothing to check. */
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
