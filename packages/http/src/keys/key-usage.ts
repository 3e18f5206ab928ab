import type { Logger } from 'pino';

const reportEveryMs = 60_000;
const maxKeys = 10_000;

type OnKeyUsed = (apiKeyId: string, usedAt: Date) => Promise<void> | void;

/** Reports the use of a key, at most once a minute per key. No request waits or fails because of it. */
export const createKeyUsageReporter = (
  onKeyUsed: OnKeyUsed | undefined,
  logger: Logger,
  isOutage: (error: unknown) => boolean,
): ((apiKeyId: string) => void) => {
  if (onKeyUsed === undefined) return () => undefined;
  const reportedAtMs = new Map<string, number>();
  const report = async (apiKeyId: string): Promise<void> => {
    try {
      await onKeyUsed(apiKeyId, new Date());
    } catch (error) {
      // An outage is logged once, not for every key.
      const level = isOutage(error) ? 'debug' : 'warn';
      logger[level]({ err: error, api_key_id: apiKeyId }, 'the use of a key could not be recorded');
    }
  };
  return (apiKeyId) => {
    const now = performance.now();
    const last = reportedAtMs.get(apiKeyId);
    if (last !== undefined && now - last < reportEveryMs) return;
    if (reportedAtMs.size >= maxKeys) reportedAtMs.clear();
    reportedAtMs.set(apiKeyId, now);
    void report(apiKeyId);
  };
};
