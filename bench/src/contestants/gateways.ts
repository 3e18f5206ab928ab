import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { administration, openAdministrationDatabase } from '@crm/db';
import { generateApiKey, hashApiKey } from '@crm/domain';
import { benchFolder } from '../bench-server.js';
import { type ServerProcess, startServerProcess } from '../harness/child.js';

const appsFolder = fileURLToPath(new URL('../../../apps/', import.meta.url));

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
      ...{ organizationId, name, prefix: key.slice(0, 13), expiresAt: null },
      hash: new Uint8Array(hashApiKey(key)),
      allowedOperations: ['list', 'search', 'inbound', 'bulk', 'delete'],
      limits: { list: unreachableLimit, search: unreachableLimit, inbound: unreachableLimit, bulk: unreachableLimit },
    });
  } finally {
    await database.close();
  }
  return key;
};

/**
 * Starts a gateway as in production: with authentication, limits, validation and logging, and with default settings.
 */
export const startGateway = async (
  name: 'read-gateway' | 'inbound-gateway',
  databaseUrl: string,
  organizationId: string,
): Promise<Gateway> => {
  const key = await createKey(databaseUrl, organizationId);
  const server = await startServerProcess({
    script: resolve(appsFolder, name, 'dist/main.js'),
    environment: {
      DATABASE_URL: databaseUrl,
      CURSOR_SECRETS: 'a secret of the benchmark',
      LOG_LEVEL: 'info',
    },
    logFile: resolve(benchFolder, `${name}.log`),
    readyPath: '/readyz',
  });
  return { ...server, headers: { 'x-api-key': key } };
};
