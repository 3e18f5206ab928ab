import { migrationNames } from '../generated/expected-schema.js';
import type { Migration } from '../migrate/migrations.js';
import type { GatewayRequirement } from './schema-history.js';

const marker = /^-- Gateways need: (\S+)$/gm;

/**
 * The requirement that a migration declares in a comment, for example `-- Gateways need: 0005_stage_labels`.
 *
 * @param migrations - the whole history, in order
 * @returns null for a migration without the comment, which every older gateway works with
 * @throws Error if the comment appears twice, or names an unknown or later migration
 */
export const requirementOf = (
  { name, sql }: Migration,
  migrations: readonly Migration[],
): GatewayRequirement | null => {
  const [needs, ...others] = [...sql.matchAll(marker)].map(([, needed = '']) => needed);
  if (needs === undefined) return null;
  if (others.length > 0 || needs > name || !migrations.some((migration) => migration.name === needs)) {
    throw new Error(`${name}: "-- Gateways need:" must appear once and name this migration or an earlier one`);
  }
  return { migration: name, needs };
};

const prefixes = {
  read: 'crm-read-gateway ',
  inbound: 'crm-inbound-gateway ',
  webhooks: 'crm-webhook-worker ',
} as const;

/** The number of characters left for the migration's name, because the server cuts application names to 63 characters. */
const shownLength = 63 - prefixes.inbound.length;

/** The name of a gateway in pg_stat_activity, with its newest migration: `crm-read-gateway 0001_init`. */
export const gatewayApplicationName = (gateway: keyof typeof prefixes, migrations = migrationNames): string =>
  prefixes[gateway] + (migrations.at(-1) ?? '').slice(0, shownLength);

/** Whether an application name in pg_stat_activity is that of a gateway that does not know a migration. */
export const isOlderGateway = (applicationName: string, migration: string): boolean =>
  Object.values(prefixes).some(
    (prefix) =>
      applicationName.startsWith(prefix) && applicationName.slice(prefix.length) < migration.slice(0, shownLength),
  );
