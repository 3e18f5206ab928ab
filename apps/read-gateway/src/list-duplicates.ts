import type { listAccountDuplicates, OperationContract } from '@crm/contract';
import { findDuplicates } from '@crm/db';
import { ErrorCollector, type ObjectType, parseLimit } from '@crm/domain';
import type { OperationRequest } from '@crm/http';
import { operation } from './context.js';
import { decodeCursor, encodeCursor } from './page.js';

type Request = OperationRequest<typeof listAccountDuplicates>;

/** A page of records of one object that may be duplicates. */
export const listDuplicates = (contract: OperationContract, objectType: ObjectType) =>
  operation<OperationContract>(contract, async (context, { caller: { organizationId }, query }: Request) => {
    const errors = new ErrorCollector();
    const limit = parseLimit(query.limit, errors);
    const binding = { organizationId, operation: contract.id, limit };
    const position = decodeCursor(context, query.cursor, binding, errors);
    const page = await findDuplicates(context.database, { organizationId, objectType, position, limit });
    const nextCursor = encodeCursor(context, binding, page.nextPosition);
    const data = { duplicates: page.duplicates, has_more: nextCursor !== null, next_cursor: nextCursor, limit };
    return { message: 'Found duplicates', data };
  });
