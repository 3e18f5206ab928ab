import { createInterface } from 'node:readline/promises';

import { errorCode, errorText, exitCodes, usageError } from './errors.js';

/** The environment, output streams and signals of a command. Tests pass their own. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** After this call, SIGINT, SIGTERM and SIGHUP abort the returned signal instead of ending the process. */
  readonly onInterrupt: () => AbortSignal;
}

const repeatedSignalMs = 1000;

/**
 * Lets the command continue after its reader, for example `head`, closes the pipe. Later output is dropped, and the
 * exit code stays the same. Any other write error, such as a full disk, ends the process.
 */
const ignoreClosedPipe = (stream: NodeJS.WriteStream, name: string): NodeJS.WriteStream =>
  stream.on('error', (error) => {
    if (errorCode(error) === 'EPIPE') return;
    if (name !== 'stderr') process.stderr.write(`crm: ${name} cannot be written: ${errorText(error)}\n`);
    process.exit(exitCodes.failure);
  });

/** The context of the real process. */
export const processContext = (): CliContext => ({
  env: process.env,
  stdout: ignoreClosedPipe(process.stdout, 'stdout'),
  stderr: ignoreClosedPipe(process.stderr, 'stderr'),
  onInterrupt: () => {
    const controller = new AbortController();
    let abortedAtMs = 0;
    const onSignal = (): void => {
      // npm forwards the Ctrl-C that the terminal also sends here, so an immediate repeat is ignored. A later one exits
      // at once.
      if (controller.signal.aborted && performance.now() - abortedAtMs > repeatedSignalMs) process.exit(130);
      if (!controller.signal.aborted) abortedAtMs = performance.now();
      controller.abort();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
    return controller.signal;
  },
});

/** Replaces control characters, except line breaks and tabs: text from untrusted sources could control the terminal. */
export const printable = (text: string): string => text.replace(/[^\P{C}\n\t]/gu, '\uFFFD');

/** A text as one line of a log. Control characters and line breaks are escaped, as in `\\u001b` and `\\n`. */
export const logLine = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((unit) => (unit === 0x0a ? '\\n' : `\\u${unit.toString(16).padStart(4, '0')}`))
      .join(''),
  );

/** JSON in which what could control the terminal is escaped: control characters, and those that change the direction. */
export const printableJson = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A value as {@link printableJson} on one line. */
export const jsonLine = (value: unknown): string => printableJson(JSON.stringify(value));

/** Prints the result of a command: a JSON object with `--json`, otherwise a text. */
export const printResult = (
  context: CliContext,
  options: { readonly json?: boolean | undefined },
  result: { readonly json: Readonly<Record<string, unknown>>; readonly text: string },
): void => {
  context.stdout.write(`${options.json === true ? jsonLine(result.json) : printable(result.text)}\n`);
};

/** Asks a question on the terminal. @throws CliError (2) with `otherwise` if there is no terminal, or with `--json` */
export const ask = async (
  context: CliContext,
  options: { readonly json?: boolean | undefined },
  question: string,
  otherwise: string,
): Promise<string> => {
  if (!process.stdin.isTTY || context.stderr.isTTY !== true || options.json === true) throw usageError(otherwise);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
};
