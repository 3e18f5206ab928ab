import { listOpportunityStages as stagesContract, opportunityReads } from '@crm/contract';
import { findMergedInto, readStageVisits } from '@crm/db';
import { ApiError } from '@crm/domain';
import type { Operation } from '@crm/http';
import { type Context, operation } from '../context.js';
import { pageJson, readByCursor } from '../page.js';
import { objectReads } from './object-reads.js';

/** `GET /v1/opportunities/{id}/stages` */
const listStages = operation(stagesContract, async (context, { caller: { organizationId }, params, query }) => {
  const id = params.id.toLowerCase();
  const binding = { organizationId, operation: stagesContract.id, recordId: id };
  const { page, nextCursor, limit } = await readByCursor(context, query, binding, async (position, rows) => {
    const found = await readStageVisits(context.database, { organizationId, id, position, limit: rows });
    if (found !== null) return found;
    const mergedInto = await findMergedInto(context.database, organizationId, 'opportunity', id);
    throw new ApiError('not_found', mergedInto === null ? {} : { extra: { merged_into: mergedInto } });
  });
  const more = [`,"complete_from":"${page.completeFrom}"`];
  return { message: 'Found stages', data: pageJson('stages', page.records, nextCursor, limit, more) };
});

/** The reads of opportunities. */
export const opportunityOperations: readonly Operation<Context>[] = [
  ...objectReads('opportunity', opportunityReads),
  listStages,
];
