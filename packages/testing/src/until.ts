import { setTimeout as sleep } from 'node:timers/promises';

/** Only a guard against hanging: what tests wait for takes far less, even on a busy machine. */
const patienceMs = 120_000;

/** Polls until a condition holds. @throws Error with the condition if it does not in time */
export const until = async (holds: () => boolean | Promise<boolean>, everyMs = 10): Promise<void> => {
  const deadlineMs = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error(`This did not hold in time: ${holds.toString()}`);
    await sleep(everyMs);
  }
};
