import { setupLimits } from '@crm/domain';
import type { AuditOrigin } from '../administration/audit.js';
import { retryTransaction } from '../database-errors.js';
import { type Refusal, throwIfRefused } from '../errors.js';
import type { Queries } from '../database.js';
import { readMarkText } from '../read-mark.js';
import type { SetupChange } from './setup-change.js';

/** The result of a change of the setup. */
export interface ChangedSetup {
  /** The value of `X-Read-After`: the state that a replica must have reached to show the change. */
  readonly readMark: string;
  /** Set if stored records of opportunities are outdated now. `refreshRecords` rebuilds them. */
  readonly outdatedAt: string | null;
}

const changeSql = `SELECT to_char(outdated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "outdatedAt",
  read_mark AS "readMark", refusal FROM change_setup($1, $2, $3, $4)`;

/**
 * Changes an organization's setup in one round trip and one transaction, and writes the changes to the audit trail.
 * @throws Failure `not_found` for an unknown organization or row, `key_taken` for a name, label, slug or email of another row,
 * `setup_in_use` and `field_in_use` if records still use the row, `last_stage`, `default_stage_archived`, `setup_changed`, `setup_too_large`
 */
export const changeSetup = async (
  database: Queries,
  organizationId: string,
  changes: readonly SetupChange[],
  { actor, osUser, commandId }: AuditOrigin,
): Promise<ChangedSetup> => {
  const origin = { actor, os_user: osUser, command_id: commandId };
  const values = [JSON.stringify(changes), JSON.stringify(origin), JSON.stringify(setupLimits)];
  return retryTransaction(async () => {
    const statement = { text: changeSql, values };
    const [row] = await database.query<ChangedSetup & { refusal: Refusal | null }>(organizationId, statement);
    if (row === undefined) throw new Error('change_setup returned no row');
    const { refusal, outdatedAt, readMark } = row;
    throwIfRefused(refusal);
    return { outdatedAt, readMark: readMarkText(readMark) };
  });
};
