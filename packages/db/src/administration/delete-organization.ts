import type { AdministrationDatabase } from '../administration-database.js';
import { type AuditOrigin, writeAuditEvent } from './audit.js';
import { lockOrganization } from './shared.js';

/** The rows that one statement deletes. Deleting an opportunity updates about 30 indexes. */
const batchSize = 5_000;

/** The tables with rows of an organization, except the audit trail, in an order in which no row is deleted before those that refer to it. Keys come first. */
export const tables = [
  ...['api_keys', 'webhook_attempts', 'webhook_parked', 'webhook_endpoints', 'idempotency_keys', 'merged_records'],
  ...['account_aliases', 'contact_aliases', 'note_accounts', 'note_contacts', 'note_opportunities', 'notes'],
  ...[
    'opportunity_contacts',
    'stage_visits',
    'opportunities',
    'contacts',
    'accounts',
    'events',
    'event_heads',
    'record_rebuilds',
  ],
  ...['custom_field_pipelines', 'custom_fields', 'stages', 'pipelines', 'members'],
] as const;

/**
 * Deletes an organization and everything of it, in small steps. What stays is the audit event of the deletion, which has none of its data.
 * The keys are deleted first, and the last step waits for writes in progress. An interrupted deletion can be repeated.
 * @param onProgress - receives the number of rows that are deleted so far
 * @throws Failure `not_found` for an unknown organization
 */
export const deleteOrganization = async (
  database: AdministrationDatabase,
  organizationId: string,
  origin: AuditOrigin,
  onProgress: (rows: number) => void = () => undefined,
): Promise<void> => {
  const { prisma } = database;
  await prisma.$transaction(async (transaction) => {
    await lockOrganization(transaction, organizationId);
    const event = { organizationId, action: 'organization.delete', target: organizationId, details: {} } as const;
    await writeAuditEvent(transaction, origin, event);
  });
  let deleted = 0;
  for (const table of tables) {
    const text = `DELETE FROM ${table} WHERE organization_id = $1::uuid AND ctid = ANY (ARRAY(
      SELECT ctid FROM ${table} WHERE organization_id = $1::uuid LIMIT ${batchSize}))`;
    for (;;) {
      const count = await prisma.$executeRawUnsafe(text, organizationId);
      deleted += count;
      if (count < batchSize) break;
      onProgress(deleted);
    }
  }
  await prisma.$transaction(async (transaction) => {
    const run = (text: string) => transaction.$executeRawUnsafe(text, organizationId);
    await run(`SELECT lock_organization($1::uuid, 'exclusive')`);
    // A gateway may accept a deleted key for some seconds, and write meanwhile.
    for (const table of tables) await run(`DELETE FROM ${table} WHERE organization_id = $1::uuid`);
    await run(`DELETE FROM audit_events WHERE organization_id = $1::uuid AND action <> 'organization.delete'`);
    await run('DELETE FROM organizations WHERE id = $1::uuid');
  });
};
