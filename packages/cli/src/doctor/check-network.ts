import { toUrl } from '@crm/domain';
import { errorText } from '../errors.js';
import { ok, problem, type Finding } from './finding.js';

const timeoutMs = 3_000;

/** Connects to Redis as the gateways do, and sends PING. @throws Error if Redis refuses or does not answer */
const pingRedis = async (url: string): Promise<void> => {
  const { createClient } = await import('@redis/client');
  const socket = { connectTimeout: timeoutMs, socketTimeout: timeoutMs, reconnectStrategy: false } as const;
  const client = createClient({ url, socket });
  // The client also rejects its promises, which are reported below.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.ping();
  } finally {
    client.destroy();
  }
};

/** Checks the Redis server that processes share to count rate limits. */
export const checkRedis = async (address: string): Promise<Finding> => {
  const advice = 'Start Redis or correct REDIS_URL. Until then each process counts rate limits separately.';
  const url = toUrl(address);
  if (url === null) return problem('redis', 'REDIS_URL is not an address', advice);
  try {
    await pingRedis(address);
    return ok('redis', `${url.host} answers`);
  } catch (error) {
    return problem('redis', `${url.host} cannot be used: ${errorText(error)}`, advice);
  }
};

/** Checks whether a gateway reports that it is ready. */
export const checkGateway = async (name: string, address: string): Promise<Finding> => {
  try {
    const response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(timeoutMs) });
    if (response.ok) return ok(name, `${address} is ready`);
    const advice = 'The reason is in err of its log line for /readyz. Usually it cannot reach its database.';
    return problem(name, `${address}/readyz answers ${response.status}`, advice);
  } catch (error) {
    const advice =
      'Check that it is running and that this is its HOST and PORT. If it stopped, its log has the reason.';
    return problem(name, `${address} does not answer: ${errorText(error)}`, advice);
  }
};
