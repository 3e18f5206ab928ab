import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import type { Store } from 'express-rate-limit';
import type { Logger } from 'pino';
import { RedisStore } from 'rate-limit-redis';

/** Counters of rate limits that all processes with the same Redis share. */
export interface SharedCounters {
  /** For {@link RateLimitOptions.createStore}. */
  readonly createStore: (name: string) => Store;
  /** Drops the connection. */
  close(): void;
}

const connectTimeoutMs = 1_000;
const longestReconnectDelayMs = 1_000;
/** What a Redis that accepts commands and answers none may hold up before further ones fail at once. */
const maxWaitingCommands = 10_000;

/**
 * Connects to Redis and stays connected; one that cannot be reached within a second is waited for in the background. A command fails at once while there is no connection; nothing
 * waits for one, and none is repeated. Whether limits hold for all is then told by the store that falls back, once.
 * @param url `redis://` or `rediss://`, with user, password and database as Redis takes them
 */
export const connectSharedCounters = async (url: string, logger: Logger): Promise<SharedCounters> => {
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
  // Limiters that are made before there is a connection would call the store failed at every start.
  await Promise.race([connected, sleep(connectTimeoutMs, undefined, { ref: false })]);
  return {
    createStore: (name) =>
      new RedisStore({ prefix: `crm:limit:${name}:`, sendCommand: (...words: string[]) => client.sendCommand(words) }),
    close: () => {
      if (client.isOpen) client.destroy();
    },
  };
};
