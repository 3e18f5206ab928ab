import { Failure, maxAdditionalContacts } from '@crm/domain';
import type { Stage } from '../organization-setup.js';
import type { Database } from '../database.js';
import type { Write, WriteOrigin, WrittenRecord } from '../write/write.js';
import { indexedWrite, runWrites } from '../write/write-many.js';

/** The number of opportunities that one transaction moves. It is low so that other writes wait only briefly. */
const batchSize = 200;

/** A move of all opportunities from one stage to another of the same pipeline, or from one owner to another. */
export type OpportunityMove =
  | { readonly kind: 'stage'; readonly from: Stage; readonly toId: string }
  | { readonly kind: 'owner'; readonly fromId: string; readonly toId: string };

const idsStatement = (move: OpportunityMove, limit: number) =>
  move.kind === 'stage'
    ? {
        text: 'SELECT opportunity_ids_of_stage($1, $2, $3, $4) AS ids',
        values: [move.from.pipelineId, move.from.id, limit],
      }
    : { text: 'SELECT opportunity_ids_of_owner($1, $2, $3) AS ids', values: [move.fromId, limit] };

const moveWrite = (move: OpportunityMove, id: string): Write<WrittenRecord> => ({
  function: 'update_opportunity',
  input: {
    id,
    accounts: [],
    contacts: [],
    change: {
      set: move.kind === 'stage' ? { stage_id: move.toId } : { owner_id: move.toId },
      contact_limit: maxAdditionalContacts,
    },
  },
});

/** The ids of the opportunities that a move would change now, at most `limit`; by default all. */
export const opportunitiesToMove = async (
  database: Database,
  organizationId: string,
  move: OpportunityMove,
  limit = 2 ** 31 - 1,
): Promise<readonly string[]> => {
  const [row] = await database.query<{ ids: string[] }>(organizationId, idsStatement(move, limit));
  return row?.ids ?? [];
};

/**
 * Updates the stage or the owner of opportunities in small transactions. Like any update, it raises their versions. Opportunities that are
 * deleted meanwhile are skipped. Only those of `ids` are moved, so two opposite moves at once both end.
 * @returns how many were moved
 * @param ids - from {@link opportunitiesToMove}
 * @param isGone - whether the caller is gone; then the move stops before its next transaction
 * @throws Failure `unavailable` if the caller is gone
 */
export const moveOpportunities = async (
  database: Database,
  organizationId: string,
  move: OpportunityMove,
  ids: readonly string[],
  origin: WriteOrigin | null = null,
  isGone: () => boolean = () => false,
): Promise<number> => {
  let moved = 0;
  for (let done = 0; done < ids.length; done += batchSize) {
    if (isGone()) throw new Failure({ kind: 'unavailable' });
    const batch = ids.slice(done, done + batchSize);
    const writes = batch.map((id, index) => indexedWrite(index, moveWrite(move, id)));
    moved += batch.length;
    const refuseItems = (refusals: ReadonlyMap<number, unknown>) => {
      moved -= refusals.size;
      return Object.fromEntries([...refusals.keys()].map((index) => [String(index), null]));
    };
    const bulk = { function: 'update_opportunity', writes, refused: {}, refuseItems } as const;
    await runWrites<WrittenRecord, null>(database, organizationId, bulk, null, origin);
  }
  return moved;
};
