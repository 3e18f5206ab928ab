import { destination, pino, type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from '../gateway-settings.js';

const emails = /[^\s@"'`<>()=,;:]+@[^\s@"'`<>()=,;:]+/g;
const apiKeys = /crm_live_[0-9A-Za-z]*/g;
const urlPasswords = /(:\/\/[^\s:/@]*:)[^\s@]*@/g;
const longestMessage = 500;
const deepestCause = 4;
/** Log lines are buffered up to this size, because one write per line costs as much as the rest of a small request. */
const bufferedBytes = 4096;
const flushEveryMs = 100;

const mask = (text: string): string =>
  text
    .slice(0, longestMessage)
    .replace(urlPasswords, '$1[password]@')
    .replace(apiKeys, '[api key]')
    .replace(emails, '[email]');

/** The logged properties of an error. No others, because drivers attach parameters and row values to their errors. */
interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** An error in loggable form, with keys, addresses and passwords masked, and its causes. */
const describeError = (error: unknown, depth = 0): LoggedError => {
  if (!(error instanceof Error)) return { type: typeof error, message: mask(String(error)) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  // Only the frames, because the first line of a stack repeats the message unmasked.
  const stack = error.stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, 12)
    .join('\n');
  return {
    type: error.name,
    message: mask(error.message),
    ...(code === undefined ? {} : { code: mask(code) }),
    ...(stack === undefined || stack === '' ? {} : { stack }),
    ...(error.cause === undefined || depth >= deepestCause ? {} : { cause: describeError(error.cause, depth + 1) }),
  };
};

/** Options of a logger. */
interface LoggerOptions {
  readonly level: LogLevel;
  /** The gateway's name. */
  readonly name: string;
  /** The default is standard output. */
  readonly destination?: DestinationStream | undefined;
}

/**
 * A logger with one JSON line per entry. JSON escapes line breaks and control characters, so that no value can forge a
 * line. Standard output is written in the background, at most 100 ms late, and flushed when the process exits.
 */
export const createLogger = (options: LoggerOptions): Logger =>
  pino(
    { level: options.level, base: { name: options.name }, serializers: { err: describeError } },
    options.destination ?? destination({ dest: 1, sync: false, minLength: bufferedBytes, periodicFlush: flushEveryMs }),
  );
