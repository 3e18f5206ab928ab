import { randomUUID } from 'node:crypto';
import type { AdministrationDatabase } from '../administration-database.js';
import type { Prisma } from '../generated/client.js';
import type { SetupAction } from '../setup/setup-change.js';

/** Who changes an organization's setup, and with which command. */
export interface AuditOrigin {
  /** The name of a person or program, as given by the caller. */
  readonly actor: string;
  /** The operating system user, if known. */
  readonly osUser: string | null;
  /** A UUID that all changes of one command share. */
  readonly commandId: string;
}

/** The actions of administration on an organization. */
export type AuditAction =
  | `organization.${'create' | 'limit' | 'delete'}`
  | 'key.limit'
  | SetupAction
  | 'key.create'
  | 'key.rotate'
  | 'key.revoke'
  | 'opportunities.rebuild';

/** An audit event to write. */
export interface NewAuditEvent {
  readonly organizationId: string;
  readonly action: AuditAction;
  /** The id of the changed object. */
  readonly target: string;
  /** The new values, and in `before` the old ones. Never a key, a hash or a password, because people who may not use those may read the trail. */
  readonly details: Prisma.InputJsonObject;
}

/** A stored audit event. */
export interface AuditEventRow extends AuditOrigin {
  readonly id: string;
  readonly createdAt: Date;
  readonly action: string;
  readonly target: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The default origin of changes, if the caller names no actor. */
export const unnamedOrigin = (): AuditOrigin => ({ actor: 'unnamed', osUser: null, commandId: randomUUID() });

/** Writes an audit event in the transaction of its change, so that both are committed or neither is. */
export const writeAuditEvent = async (
  transaction: Pick<Prisma.TransactionClient, 'auditEvent'>,
  { actor, osUser, commandId }: AuditOrigin,
  event: NewAuditEvent,
): Promise<void> => {
  await transaction.auditEvent.create({ data: { id: randomUUID(), actor, osUser, commandId, ...event } });
};

/** Reads the audit trail. */
export const auditAdministration = ({ prisma }: AdministrationDatabase) => ({
  /**
   * The latest events first, at most `limit` of them, none older than `since`. Without an organization: the deletions of organizations.
   */
  listAuditEvents: async (input: {
    readonly organizationId: string | null;
    readonly since: Date | null;
    readonly limit: number;
  }): Promise<AuditEventRow[]> => {
    const { organizationId, since, limit } = input;
    const rows = await prisma.auditEvent.findMany({
      where: {
        ...(organizationId === null ? { action: 'organization.delete' } : { organizationId }),
        ...(since === null ? {} : { createdAt: { gte: since } }),
      },
      omit: { organizationId: true },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: limit,
    });
    return rows.map((row) => ({ ...row, details: row.details as Record<string, unknown> }));
  },
});
