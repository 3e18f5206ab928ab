import type pg from 'pg';
import { isOlderGateway, requirementOf } from '../schema-history/gateway-requirement.js';
import type { GatewayRequirement } from '../schema-history/schema-history.js';
import type { Migration } from './migrations.js';

/** The connected programs by application name. Every role can see the application names of all sessions, unlike their addresses. */
const gatewaysSql = `
  SELECT application_name AS name, count(*)::int AS connections FROM pg_stat_activity
   WHERE datname = current_database() AND application_name LIKE 'crm-%' GROUP BY 1 ORDER BY 1`;

const refuseOlderGateways = async (client: pg.Client, requirements: readonly GatewayRequirement[]): Promise<void> => {
  const { rows } = await client.query<{ name: string; connections: number }>(gatewaysSql);
  for (const { migration, needs } of requirements) {
    const older = rows.filter(({ name }) => isOlderGateway(name, needs));
    if (older.length === 0) continue;
    const list = older.map(({ name, connections }) => `${name} (${connections} connections)`).join(', ');
    throw new Error(
      `${migration} breaks gateways without ${needs}, and some are connected: ${list}. Nothing was changed. ` +
        `Replace them by gateways with ${needs}, or stop them, then run crm migrate again`,
    );
  }
};

/** All requirements of a history. @throws Error for a comment that names an unknown or later migration */
export const findRequirements = (migrations: readonly Migration[]): GatewayRequirement[] =>
  migrations.map((migration) => requirementOf(migration, migrations)).filter((found) => found !== null);

/** Stores requirements. A requirement takes effect when its migration is applied. */
export const storeRequirements = async (
  client: pg.Client,
  requirements: readonly GatewayRequirement[],
): Promise<void> => {
  for (const { migration, needs } of requirements) {
    await client.query(
      'INSERT INTO gateway_requirements (migration, needs) VALUES ($1, $2) ON CONFLICT (migration) DO NOTHING',
      [migration, needs],
    );
  }
};

/**
 * Stores the requirements of migrations before they are applied, so that no older gateway can start on tables that it cannot work with.
 * @throws Error if a connected gateway does not meet a requirement; then nothing was stored
 */
export const declareRequirements = async (
  client: pg.Client,
  requirements: readonly GatewayRequirement[],
): Promise<void> => {
  await refuseOlderGateways(client, requirements);
  await storeRequirements(client, requirements);
};
