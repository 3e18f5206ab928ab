import type { Logger } from 'pino';
import { configurationExitCode } from '../environment.js';

/** Says why a process cannot work now. `/readyz` returns the message, so it must be fit for everybody. */
export class NotReadyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotReadyError';
  }
}

/**
 * Logs the findings of the start-up checks. If waiting cannot fix a problem, prints it and ends the process with code
 * 78.
 */
export const reportStartUp = (logger: Logger) => ({
  onWarning: (text: string): void => logger.warn(text),
  onWaiting: (text: string, error?: unknown): void =>
    logger.warn({ reason: text, ...(error === undefined ? {} : { err: error }) }, 'not ready'),
  onPassed: (): void => logger.info('the database is as it should be'),
  onRefusal: (text: string): void => {
    logger.fatal(text);
    process.stderr.write(`${text}\n`);
    process.exit(configurationExitCode);
  },
});
