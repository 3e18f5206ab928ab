import type { Logger } from 'pino';

/** Ends the process with code 0 after a graceful stop on SIGTERM or SIGINT; a second signal ends it at once. */
export const stopOnSignals = (stop: () => Promise<void>, logger: Logger): void => {
  let asked = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (asked) process.exit(signal === 'SIGINT' ? 130 : 143);
    asked = true;
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.fatal({ err: error }, 'shutting down failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
};
