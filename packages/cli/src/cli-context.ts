/** What a command knows of the process it runs in; tests hand in their own. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** From this call on, SIGINT and SIGTERM abort the returned signal instead of ending the process. */
  readonly onInterrupt: () => AbortSignal;
}

/** The context of the real process. */
export const processContext = (): CliContext => ({
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  onInterrupt: () => {
    const controller = new AbortController();
    // A second Ctrl-C ends the process at once: the handlers are gone after the first.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
    return controller.signal;
  },
});

/** Writes the one result of a command: an object with `--json`, a text for people otherwise. */
export const printResult = (
  context: CliContext,
  options: { readonly json?: boolean | undefined },
  result: { readonly json: Readonly<Record<string, unknown>>; readonly text: string },
): void => {
  context.stdout.write(`${options.json === true ? JSON.stringify(result.json) : result.text}\n`);
};
