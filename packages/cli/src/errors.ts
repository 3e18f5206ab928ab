import { types } from 'node:util';

/** Exit codes of the process. 78 (EX_CONFIG of sysexits.h) lets a supervisor know that restarting will not help. */
export const exitCodes = { ok: 0, failure: 1, usage: 2, configuration: 78 } as const;

/** One of the values of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** An end of a command that its user can act on: shown as text without a stack, then the process exits with `exitCode`. */
export class CliError extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = exitCodes.failure,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'CliError';
  }
}

/** The command line itself is wrong: exit code 2. */
export const usageError = (message: string): CliError => new CliError(message, exitCodes.usage);

/** The environment or a configuration file is wrong: exit code 78. */
export const configurationError = (message: string): CliError => new CliError(message, exitCodes.configuration);

/** A short text about anything thrown, with the cause that Node hides one level down; `fetch failed` above it says nothing. */
export const errorText = (error: unknown): string => {
  // Not instanceof: an error of Node's own realm is none of ours where code runs in a VM context.
  if (!types.isNativeError(error)) return String(error);
  const causes: readonly unknown[] = 'errors' in error && Array.isArray(error.errors) ? error.errors : [error.cause];
  const cause = causes.find((candidate) => types.isNativeError(candidate));
  const own = error.message || errorCode(error) || error.name;
  if (cause === undefined) return own;
  return own === 'fetch failed' ? errorText(cause) : `${own}: ${errorText(cause)}`;
};

/** The `code` of a Node error (`ENOENT`, `ECONNRESET`), when it has one. */
export const errorCode = (error: unknown): string | undefined => {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
};
