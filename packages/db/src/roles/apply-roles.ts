import { createClient } from '../connection/create-client.js';
import { inSequenceSql } from '../distribution/distribute-tables.js';
import { refuseOtherEncodings } from '../schema-history/database-encoding.js';
import { roleSql, type RoleNames } from './role-sql.js';

/**
 * Creates or updates the roles of the gateways in a migrated database, in one transaction.
 *
 * @param url - `postgres://…` of the role that owns the tables and may create roles
 * @param onWarning - receives warnings about rights that could not be revoked
 * @throws Error if the database has another encoding than UTF8
 * @throws Error of the server if the role lacks the rights; then nothing was changed
 */
export const applyRoles = async (
  url: string,
  names: RoleNames,
  onWarning: (text: string) => void = () => undefined,
): Promise<void> => {
  const client = createClient(url, 'crm-roles');
  client.on('notice', ({ severity, message }) => {
    if (severity === 'WARNING') onWarning(message ?? '');
  });
  await client.connect();
  try {
    await refuseOtherEncodings(client);
    await client.query(['BEGIN;', `${inSequenceSql};`, ...roleSql(names), 'COMMIT;'].join('\n'));
  } finally {
    await client.end();
  }
};
