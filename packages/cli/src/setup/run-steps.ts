import { CrmApiError, CrmConnectionError } from '@crm/client';

import { callError } from '../api/gateways.js';
import { CliError, errorText } from '../errors.js';
import type { YamlFile } from '../yaml-file.js';
import { planSetup } from './plan/plan-setup.js';
import type { PlanStep } from './plan/plan-step.js';
import { readStoredSetup } from './plan/read-setup.js';
import type { SetupSession } from './session.js';
import type { SetupFile } from './setup-file.js';

/** How far a run has come. */
export interface Progress {
  made: number;
  /** Of the last change: reads with it see all changes. */
  readAfter: string | null;
}

/** The progress of a run that has not begun. */
export const newProgress = (): Progress => ({ made: 0, readAfter: null });

/** `3 changes` */
export const changes = (count: number): string => `${count} ${count === 1 ? 'change' : 'changes'}`;

/**
 * Runs the steps of a plan, one call after the other.
 * @throws CliError that says which step failed, why, and how many changes were made
 */
export const runSteps = async (
  { client, gateway }: SetupSession,
  steps: readonly PlanStep[],
  progress: Progress,
  interrupt?: AbortSignal,
): Promise<void> => {
  for (const { text, run } of steps) {
    const made = `${progress.made} of ${changes(steps.length)} ${progress.made === 1 ? 'was' : 'were'} made`;
    if (interrupt?.aborted === true) throw new CliError(`Interrupted. ${made}. Run the command again to continue.`);
    try {
      const answer = await run(client);
      progress.readAfter = answer?.readAfter ?? progress.readAfter;
    } catch (error) {
      const cause = callError(gateway, error);
      const why = errorText(cause).replace(/\.$/, '');
      // Without a response, or after an error of the server, the change may have been made.
      const isUnknown = error instanceof CrmConnectionError || (error instanceof CrmApiError && error.status >= 500);
      const unknown = isUnknown ? ', and perhaps this one' : '';
      const next = `${made}${unknown}. Run the command again to continue; correct the file before if it is at fault.`;
      throw new CliError(`Failed: ${text}. ${why}. ${next}`, cause instanceof CliError ? cause.exitCode : undefined);
    }
    progress.made += 1;
  }
};

/** @throws CliError if the organization is not in the state of the file after a run */
export const verify = async (
  session: SetupSession,
  source: YamlFile,
  file: SetupFile,
  progress: Progress,
): Promise<void> => {
  const { steps } = planSetup(source, file, await readStoredSetup(session, file, progress.readAfter), () => undefined);
  if (steps.length === 0) return;
  const lines = steps.map(({ text }) => `\n  ${text}`).join('');
  const after = `${changes(progress.made)} were made, but the organization still differs from the file`;
  throw new CliError(
    `${after}. Another change may have been made meanwhile. Run the command again. What differs:${lines}`,
  );
};
