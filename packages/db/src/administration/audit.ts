import { randomUUID } from 'node:crypto';
import type { AdministrationDatabase } from '../administration-database.js';
import type { Prisma } from '../generated/client.js';
import type { SetupAction } from '../setup/setup-change.js';

/** Who changes an organization's set-up, and in the course of what. */
export interface AuditOrigin {
  /** A person or a program, as it names itself. */
  readonly actor: string;
  /** The user of the operating system, where it is known. */
  readonly osUser: string | null;
  /** A UUID that everything done by one command has in common. */
  readonly commandId: string;
}

/** What administration can do to an organization. */
export type AuditAction =
  | 'organization.create'
  | 'organization.limit'
  | SetupAction
  | 'key.create'
  | 'key.rotate'
  | 'key.revoke'
  | 'opportunities.rebuild';

/** One change, as it is to be noted. */
export interface NewAuditEvent {
  readonly organizationId: string;
  readonly action: AuditAction;
  /** The id of what was changed. */
  readonly target: string;
  /** What was set. Never a key, a hash or a password: the trail is read by more people than may use them. */
  readonly details: Prisma.InputJsonObject;
}

/** One change, as it is noted. */
export interface AuditEventRow extends AuditOrigin {
  readonly id: string;
  readonly createdAt: Date;
  readonly action: string;
  readonly target: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The origin of changes whose caller did not say who it is. */
export const unnamedOrigin = (): AuditOrigin => ({ actor: 'unnamed', osUser: null, commandId: randomUUID() });

/** Notes a change in the transaction that makes it, so that neither is there without the other. */
export const noteEvent = async (
  transaction: Pick<Prisma.TransactionClient, 'auditEvent'>,
  { actor, osUser, commandId }: AuditOrigin,
  event: NewAuditEvent,
): Promise<void> => {
  await transaction.auditEvent.create({ data: { id: randomUUID(), actor, osUser, commandId, ...event } });
};

/** Reading the trail. */
export const auditAdministration = ({ prisma }: AdministrationDatabase) => ({
  /** The latest events first, at most `limit` of them, none older than `since`. */
  listAuditEvents: async (input: {
    readonly organizationId: string;
    readonly since: Date | null;
    readonly limit: number;
  }): Promise<AuditEventRow[]> => {
    const { organizationId, since, limit } = input;
    const rows = await prisma.auditEvent.findMany({
      where: { organizationId, ...(since === null ? {} : { createdAt: { gte: since } }) },
      omit: { organizationId: true },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: limit,
    });
    return rows.map((row) => ({ ...row, details: row.details as Record<string, unknown> }));
  },
});
