import type { listAccountHistory, OperationContract } from '@crm/contract';
import { readHistory, recordExists } from '@crm/db';
import { ApiError, type CursorPosition, type ObjectType } from '@crm/domain';
import type { OperationRequest } from '@crm/http';
import { operation } from './context.js';
import { pageJson, readByCursor } from './page.js';

type Request = OperationRequest<typeof listAccountHistory>;

/**
 * The events of one record that the log retains, newest first. A deleted record is found as long as the log retains an
 * event of it.
 */
export const listHistory = (contract: OperationContract, objectType: ObjectType) =>
  operation<OperationContract>(contract, async (context, { caller: { organizationId }, params, query }: Request) => {
    const id = params.id.toLowerCase();
    const read = async (position: CursorPosition | null, limit: number) => {
      const found = await readHistory(context.database, { organizationId, objectType, id, position, limit });
      const isKnown = found.records.length > 0 || position !== null;
      if (!isKnown && !(await recordExists(context.database, organizationId, objectType, id)))
        throw new ApiError('not_found');
      return found;
    };
    const binding = { organizationId, operation: contract.id, recordId: id };
    const { page, nextCursor, limit } = await readByCursor(context, query, binding, read);
    const log = [`,"log_id":${JSON.stringify(page.logId)}`];
    return { message: 'Found events', data: pageJson('events', page.records, nextCursor, limit, log) };
  });
