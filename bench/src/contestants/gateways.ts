import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { administration, openAdministrationDatabase } from '@crm/db';
import { generateApiKey, hashApiKey } from '@crm/domain';
import { benchFolder } from '../bench-server.js';
import { type ServerProcess, startServerProcess } from '../harness/child.js';

const appsFolder = fileURLToPath(new URL('../../../apps/', import.meta.url));

/** So high that no run reaches it; requests are counted all the same. */
const farLimit = 1_000_000_000;

/** A gateway as it is shipped, and a key for it. */
export interface Gateway extends ServerProcess {
  readonly headers: Readonly<Record<string, string>>;
}

/** A key of an organization that may do everything, in place of the one of an earlier run. */
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
      limits: { list: farLimit, search: farLimit, inbound: farLimit, bulk: farLimit },
    });
  } finally {
    await database.close();
  }
  return key;
};

/**
 * Starts a gateway like a production process: authentication, limits, validation and logging on, with the settings it has by
 * itself.
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
