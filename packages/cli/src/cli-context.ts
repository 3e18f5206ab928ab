import { errorCode, errorText, exitCodes } from './errors.js';

/** What a command knows of the process it runs in; tests hand in their own. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** From this call on, SIGINT, SIGTERM and SIGHUP abort the returned signal instead of ending the process. */
  readonly onInterrupt: () => AbortSignal;
}

const repeatedSignalMs = 1000;

/**
 * Outlives a reader that has seen enough, as `head`: what is printed after that is dropped, and the command ends with the
 * exit code that it would have had. Other failures, as a full disk under a redirection, end the process.
 */
const outliveReader = (stream: NodeJS.WriteStream, name: string): NodeJS.WriteStream =>
  stream.on('error', (error) => {
    if (errorCode(error) === 'EPIPE') return;
    if (name !== 'stderr') process.stderr.write(`crm: ${name} cannot be written: ${errorText(error)}\n`);
    process.exit(exitCodes.failure);
  });

/** The context of the real process. */
export const processContext = (): CliContext => ({
  env: process.env,
  stdout: outliveReader(process.stdout, 'stdout'),
  stderr: outliveReader(process.stderr, 'stderr'),
  onInterrupt: () => {
    const controller = new AbortController();
    let abortedAtMs = 0;
    const onSignal = (): void => {
      // npm passes a Ctrl-C on that the terminal sends here as well; only a later one means "now".
      if (controller.signal.aborted && performance.now() - abortedAtMs > repeatedSignalMs) process.exit(130);
      if (!controller.signal.aborted) abortedAtMs = performance.now();
      controller.abort();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
    return controller.signal;
  },
});

/** A text for people whose parts may come from anybody: without what steers a terminal, but for line breaks and tabs. */
export const printable = (text: string): string => text.replace(/[^\P{C}\n\t]/gu, '\uFFFD');

/** Writes the one result of a command: an object with `--json`, a text for people otherwise. */
export const printResult = (
  context: CliContext,
  options: { readonly json?: boolean | undefined },
  result: { readonly json: Readonly<Record<string, unknown>>; readonly text: string },
): void => {
  context.stdout.write(`${options.json === true ? JSON.stringify(result.json) : printable(result.text)}\n`);
};
