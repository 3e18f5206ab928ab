import { maxAdditionalContacts } from '@crm/domain';
import type { Database, Queries } from '../database.js';
import {
  type IdempotencyRecord,
  runWrite,
  type UpdateTarget,
  type Write,
  type WriteOrigin,
  type Written,
} from './write.js';

/** Objects that can be merged. */
export type MergedObject = 'account' | 'contact';

/** The limits of one merge. They keep it well within the statement timeout (docs/decisions/0022-merging.md). */
export const mergeLimits = {
  opportunities: 2_000,
  /** Opportunities among them that are merged into another opportunity. Each costs as much as moving four. */
  merged_opportunities: 500,
  contacts: 5_000,
  notes: 500,
  /** Bytes of the values of all these records together. */
  bytes: 8 * 1024 * 1024,
} as const;

/** Two records to merge. */
export interface Merge extends UpdateTarget {
  /** The record that is merged into the other one and deleted. */
  readonly from: string;
  /** Whether to only report what would change. */
  readonly isDryRun: boolean;
  /** Whether to merge opportunities that would get the same natural key. Otherwise such opportunities make the merge fail. */
  readonly mergesOpportunities: boolean;
}

/** Two opportunities that would have the same natural key after a merge. */
export interface OpportunityConflict {
  /** The opportunity of the record that is deleted. */
  readonly id: string;
  readonly existing_id: string;
  readonly pipeline_id: string;
  readonly name: string;
}

/** The changes of a merge, made or previewed. */
export interface MergeResult {
  readonly id: string;
  readonly from: string;
  /** The number of moved contacts; 0 for a merge of contacts. */
  readonly contacts: number;
  readonly opportunities: number;
  readonly merged_opportunities: number;
  readonly notes: number;
  /** Empty fields of the kept record that got a value of the other one: columns and `custom__slug`s. */
  readonly filled: readonly string[];
  /** The first hundred pairs of opportunities with the same new natural key. They were merged; in a dry run, they collide. */
  readonly conflicts: readonly OpportunityConflict[];
}

/** The write of a merge. */
export const recordMerge = (kind: MergedObject, merge: Merge): Write<MergeResult> => ({
  function: merge.isDryRun ? `preview_${kind}_merge` : `merge_${kind}`,
  input: {
    id: merge.id,
    from: merge.from,
    version: merge.version,
    is_dry_run: merge.isDryRun,
    merges_opportunities: merge.mergesOpportunities,
    contact_limit: maxAdditionalContacts,
    limits: mergeLimits,
  },
});

/**
 * Merges one record into another, or reports what that would change. A dry run writes nothing, not even a result for an `Idempotency-Key`.
 * @throws Failure `not_found`, `merge_source_not_found`, `precondition_failed`, `opportunities_collide`, `merge_too_large`
 */
export const mergeRecords = async (
  database: Database,
  organizationId: string,
  kind: MergedObject,
  merge: Merge,
  idempotency: IdempotencyRecord | null,
  origin: WriteOrigin | null = null,
): Promise<Written<MergeResult>> =>
  runWrite(database, organizationId, recordMerge(kind, merge), merge.isDryRun ? null : idempotency, origin);

/** The record that a record was merged into, or null. */
export const findMergedInto = async (
  database: Queries,
  organizationId: string,
  objectType: MergedObject | 'opportunity',
  id: string,
): Promise<string | null> => {
  const text =
    'SELECT m.merged_into AS "mergedInto" FROM merged_records m WHERE m.organization_id = $1 AND m.object_type = $2 AND m.id = $3';
  const statement = { text, values: [objectType, id] };
  const [row] = await database.query<{ mergedInto: string }>(organizationId, statement);
  return row?.mergedInto ?? null;
};
