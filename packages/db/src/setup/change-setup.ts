import type { AuditOrigin } from '../administration/audit.js';
import { retryTransaction } from '../database-errors.js';
import type { Queries } from '../database.js';
import { readMarkText } from '../read-mark.js';
import type { SetupChange } from './setup-change.js';

/** What a change of the set-up led to. */
export interface ChangedSetup {
  /** What a replica must have to show it, as `X-Read-After` carries it. */
  readonly readMark: string;
  /** Set if stored records of opportunities are outdated now; {@link refreshOutdatedRecords} rebuilds them. */
  readonly outdatedAt: string | null;
}

const changeSql = `SELECT to_char(outdated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "outdatedAt",
  read_mark AS "readMark" FROM change_setup($1, $2, $3)`;

/**
 * Makes changes of an organization's set-up, all of them or none, in one round trip. They are in the audit trail.
 * @throws Failure `not_found` for an unknown organization or row, `key_taken` for a name, label, slug or email that another row has,
 * `setup_in_use` where opportunities are in the way, `last_stage`, `setup_changed`
 */
export const changeSetup = async (
  database: Queries,
  organizationId: string,
  changes: readonly SetupChange[],
  { actor, osUser, commandId }: AuditOrigin,
): Promise<ChangedSetup> => {
  const origin = { actor, os_user: osUser, command_id: commandId };
  const values = [JSON.stringify(changes), JSON.stringify(origin)];
  return retryTransaction(async () => {
    const [row] = await database.query<{ outdatedAt: string | null; readMark: string }>(organizationId, {
      text: changeSql,
      values,
    });
    if (row === undefined) throw new Error('change_setup returned no row');
    return { ...row, readMark: readMarkText(row.readMark) };
  });
};
