import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { inSequenceSql } from '../distribution/distribute-tables.js';
import type { Migration } from './migrations.js';

/**
 * While a migration waits for a lock, all later statements on the table wait too. A read may use four tables in turn and times out after
 * 5 s in total, so a migration stops waiting after half a second and retries. It retries for a minute and a half, because pg_dump, for
 * example, holds its locks until it ends.
 */
const lockTimeoutMs = 500;
const lockAttempts = 60;
const betweenAttemptsMs = 1_000;

/** The migration table exactly as Prisma 7 creates it, so that `prisma migrate status` and `prisma migrate resolve` work with it. */
const createHistorySql = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id varchar(36) NOT NULL,
    checksum varchar(64) NOT NULL,
    finished_at timestamptz,
    migration_name varchar(255) NOT NULL,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0,
    CONSTRAINT _prisma_migrations_pkey PRIMARY KEY (id)
  )`;

/**
 * Creates the history table, and marks failed migrations as rolled back so that they are applied again. Failed migrations come from
 * `prisma migrate deploy`, because {@link applyMigration} leaves none.
 */
export const prepareHistory = async (client: pg.Client): Promise<void> => {
  await client.query(createHistorySql);
  await client.query(
    'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL',
  );
};

const checksumOf = ({ sql }: Migration): string => createHash('sha256').update(sql).digest('hex');

/**
 * Compares applied migrations with their files.
 * @throws Error that names the migrations whose files changed after they were applied
 */
export const refuseEditedMigrations = async (client: pg.Client, migrations: readonly Migration[]): Promise<void> => {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    `SELECT migration_name AS name, checksum FROM _prisma_migrations
      WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
  );
  const checksums = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  const edited = migrations.filter((migration) => {
    const applied = checksums.get(migration.name);
    return applied !== undefined && applied !== checksumOf(migration);
  });
  if (edited.length === 0) return;
  throw new Error(
    `The file of ${edited.map(({ name }) => name).join(', ')} has changed since it was applied to this database. Nothing was ` +
      'changed. Use the version that applied it, or move the data: see "From another migration history" in docs/how-to/upgrade.md',
  );
};

/** Matches only if the same transaction inserted the row. Otherwise the script contained COMMIT or ROLLBACK and was not atomic. */
const finishSql = `
  UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1
   WHERE id = $1 AND xmin = pg_current_xact_id()::xid`;

const applyInTransaction = async (client: pg.Client, migration: Migration): Promise<void> => {
  const id = randomUUID();
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    await client.query(inSequenceSql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at)
       VALUES ($1, $2, $3, clock_timestamp())`,
      [id, checksumOf(migration), migration.name],
    );
    await client.query(migration.sql);
    const { rowCount } = await client.query(finishSql, [id]);
    if (rowCount !== 1) throw new Error('it is not in the history. A migration must not contain COMMIT or ROLLBACK');
    await client.query('COMMIT');
  } catch (error) {
    // ROLLBACK fails if the connection is lost. The first error is more useful then.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
};

const isLockTimeout = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '55P03';

/** `0002_add_labels, line 12: column "label" already exists` */
const describeFailure = ({ name, sql }: Migration, error: unknown): string => {
  if (!(error instanceof pg.DatabaseError)) return `${name}: ${String(error)}`;
  const { position, message, detail, hint } = error;
  const line = position === undefined ? '' : `, line ${sql.slice(0, Number(position)).split('\n').length}`;
  return [`${name}${line}: ${message}`, detail, hint].filter((part) => part !== undefined).join('. ');
};

/**
 * Runs the statements of a migration and records it in `_prisma_migrations`, in one transaction. Waits up to a minute and
 * a half for locks.
 * @throws Error that names the migration, which was rolled back
 */
export const applyMigration = async (client: pg.Client, migration: Migration): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await applyInTransaction(client, migration);
      return;
    } catch (error) {
      const failure = describeFailure(migration, error);
      if (!isLockTimeout(error))
        throw new Error(`The migration failed and changed nothing: ${failure}`, { cause: error });
      if (attempt === lockAttempts) {
        const advice =
          'Another session holds a lock on a table, such as pg_dump. Wait for its end, then run crm migrate again';
        throw new Error(`${advice}: ${failure}`, { cause: error });
      }
      await sleep(betweenAttemptsMs);
    }
  }
};
