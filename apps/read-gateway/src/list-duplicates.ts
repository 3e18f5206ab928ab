import type { listAccountDuplicates, OperationContract } from '@crm/contract';
import { findDuplicates } from '@crm/db';
import type { ObjectType } from '@crm/domain';
import type { OperationRequest } from '@crm/http';
import { operation } from './context.js';
import { readByCursor } from './page.js';

type Request = OperationRequest<typeof listAccountDuplicates>;

/** A page of records of one object that may be duplicates. */
export const listDuplicates = (contract: OperationContract, objectType: ObjectType) =>
  operation<OperationContract>(contract, async (context, { caller: { organizationId }, query }: Request) => {
    const binding = { organizationId, operation: contract.id };
    const { page, nextCursor, limit } = await readByCursor(context, query, binding, (position, rows) =>
      findDuplicates(context.database, { organizationId, objectType, position, limit: rows }),
    );
    const data = { duplicates: page.duplicates, has_more: nextCursor !== null, next_cursor: nextCursor, limit };
    return { message: 'Found duplicates', data };
  });
