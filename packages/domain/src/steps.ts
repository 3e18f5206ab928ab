/** Work in steps. Other requests may be served after each step. */
export type Steps<Result> = Generator<undefined, Result>;

/** Runs all steps at once, where no other requests wait: on the command line and in tests. */
export const runAtOnce = <Result>(steps: Steps<Result>): Result => {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
};
