import { fileURLToPath } from 'node:url';
import { administration, openAdministrationDatabase } from '@crm/db';
import { generateApiKey, hashApiKey } from '@crm/domain';
import type { BenchRequest } from '../harness/programs.js';
import { type ServerProcess, startServerProcess } from '../harness/server-process.js';

/** A limit that no run reaches. Requests are still counted. */
const unreachableLimit = 1_000_000_000;

/** A gateway as shipped, and a key for it. */
export interface Gateway extends ServerProcess {
  readonly headers: Readonly<Record<string, string>>;
}

/** Creates a key of an organization that may read, write and delete records. Removes the key of an earlier run. */
const createKey = async (databaseUrl: string, organizationId: string): Promise<string> => {
  const database = openAdministrationDatabase({ url: databaseUrl, applicationName: 'bench', maxConnections: 1 });
  const key = generateApiKey();
  const name = 'bench';
  try {
    await database.prisma.apiKey.deleteMany({ where: { organizationId, name } });
    await administration(database).createApiKey({
      organizationId,
      name,
      prefix: key.slice(0, 13),
      hash: new Uint8Array(hashApiKey(key)),
      expiresAt: null,
      allowedOperations: ['list', 'search', 'inbound', 'bulk', 'delete'],
      limits: { list: unreachableLimit, search: unreachableLimit, inbound: unreachableLimit, bulk: unreachableLimit },
    });
  } finally {
    await database.close();
  }
  return key;
};

const startProcess = (
  name: 'read-gateway' | 'inbound-gateway',
  databaseUrl: string,
  more: Readonly<Record<string, string>>,
): Promise<ServerProcess> => {
  const script = fileURLToPath(new URL(`../../../apps/${name}/dist/main.js`, import.meta.url));
  const environment = { DATABASE_URL: databaseUrl, CURSOR_SECRETS: 'a secret of the benchmark', LOG_LEVEL: 'info' };
  return startServerProcess(name, script, { ...environment, ...more }, '/readyz');
};

/**
 * Starts a gateway as in production: with authentication, limits, validation and logging, and with default settings.
 */
export const startGateway = async (
  name: 'read-gateway' | 'inbound-gateway',
  databaseUrl: string,
  organizationId: string,
): Promise<Gateway> => {
  const headers = { 'x-api-key': await createKey(databaseUrl, organizationId) };
  return { ...(await startProcess(name, databaseUrl, {})), headers };
};

/** Starts an inbound gateway without shared creates: each create has a call of the database of its own. It accepts the key of `other`. */
export const startUnsharedGateway = async (databaseUrl: string, { headers }: Gateway): Promise<Gateway> => ({
  ...(await startProcess('inbound-gateway', databaseUrl, { MAX_CREATES_PER_CALL: '1' })),
  headers,
});

/** Runs work with a gateway, and then ends it. */
export const withGateway = async <T>(
  name: 'read-gateway' | 'inbound-gateway',
  databaseUrl: string,
  organizationId: string,
  work: (gateway: Gateway) => Promise<T>,
): Promise<T> => {
  const gateway = await startGateway(name, databaseUrl, organizationId);
  try {
    return await work(gateway);
  } finally {
    await gateway.stop();
  }
};

/** A response, and the milliseconds from the request to its end. */
interface TimedAnswer {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

/** Sends one request. @throws Error for a response with another status than these */
export const send = async (
  { url }: ServerProcess,
  { path, headers = {}, body }: BenchRequest,
  statuses: readonly number[] = [200],
): Promise<TimedAnswer> => {
  const startedAtMs = performance.now();
  const post = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
  const response = await fetch(`${url}${path}`, body === undefined ? { headers } : { ...post, body });
  const text = await response.text();
  const { status } = response;
  if (!statuses.includes(status)) throw new Error(`${path} was answered ${status}: ${text.slice(0, 300)}`);
  return { status, text, ms: performance.now() - startedAtMs };
};
