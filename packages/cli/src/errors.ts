import { types } from 'node:util';

/** Exit codes of the process. 78 (EX_CONFIG of sysexits.h) says to a supervisor that a restart will not help. */
export const exitCodes = { ok: 0, failure: 1, usage: 2, configuration: 78 } as const;

/** One of the values of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** An error that the user can act on. It is printed without a stack trace, and the process exits with `exitCode`. */
export class CliError extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = exitCodes.failure,
    options?: ErrorOptions,
    /** More about the error, which `--json` prints. */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message, options);
    this.name = 'CliError';
  }
}

/** An error in the command line: exit code 2. */
export const usageError = (message: string): CliError => new CliError(message, exitCodes.usage);

/** An error in the environment or in a configuration file: exit code 78. */
export const configurationError = (message: string): CliError => new CliError(message, exitCodes.configuration);

/**
 * A short text about any thrown value, with its cause. `fetch failed` is left out, because only its cause is
 * informative.
 */
export const errorText = (error: unknown): string => {
  // Not `instanceof Error`, which is false for Node's own errors when this code runs in a VM context.
  if (!types.isNativeError(error)) return String(error);
  const causes: readonly unknown[] = 'errors' in error && Array.isArray(error.errors) ? error.errors : [error.cause];
  const cause = causes.find((candidate) => types.isNativeError(candidate));
  const own = error.message || errorCode(error) || error.name;
  if (cause === undefined) return own;
  return own === 'fetch failed' ? errorText(cause) : `${own}: ${errorText(cause)}`;
};

/** The result of opening or reading a file; undefined if there is no such file. */
export const ifThere = async <T>(reading: Promise<T>): Promise<T | undefined> => {
  try {
    return await reading;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/** The `code` of a Node error (`ENOENT`, `ECONNRESET`), if it has one. */
export const errorCode = (error: unknown): string | undefined => {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
};
