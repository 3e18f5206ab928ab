import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CounterStore } from './rate-limit-config.js';

/** Counters of rate limits that all processes with the same Redis share. */
export interface SharedCounters {
  /** For {@link RateLimitOptions.createStore}. */
  readonly createStore: (name: string) => CounterStore;
  /** Drops the connection. */
  close(): void;
}

const connectTimeoutMs = 1_000;
const longestReconnectDelayMs = 1_000;
/** The maximum number of unanswered commands; further ones fail at once. */
const maxWaitingCommands = 10_000;

/**
 * Connects to Redis and reconnects by itself. Waits at most a second for the first connection; after that, the client
 * keeps trying in the background. Without a connection a command fails at once and is not repeated. `FallbackStore`
 * then logs the outage once.
 * @param url `redis://` or `rediss://`, with user, password and database
 */
export const connectSharedCounters = async (url: string, logger: Logger): Promise<SharedCounters> => {
  // Loading them takes a fifth of a second, and most gateways have no Redis.
  const [{ createClient }, { RedisStore }] = await Promise.all([import('@redis/client'), import('rate-limit-redis')]);
  const client = createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: maxWaitingCommands,
    socket: {
      connectTimeout: connectTimeoutMs,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** Math.min(retries, 10), longestReconnectDelayMs),
    },
  });
  // Without a listener an error of the connection would end the process.
  client.on('error', (error: unknown) => logger.debug({ err: error }, 'the connection to Redis broke'));
  const connected = client.connect().catch((error: unknown) => logger.debug({ err: error }, 'Redis cannot be reached'));
  // Limiters that are created before the connection would report a failed store at every start.
  await Promise.race([connected, sleep(connectTimeoutMs, undefined, { ref: false })]);
  return {
    createStore: (name) =>
      new RedisStore({ prefix: `crm:limit:${name}:`, sendCommand: (...words: string[]) => client.sendCommand(words) }),
    close: () => {
      if (client.isOpen) client.destroy();
    },
  };
};
