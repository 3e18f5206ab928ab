import type { OperationContract } from '@crm/contract';
import { deleteRecord as deleteFromDatabase } from '@crm/db';
import type { ObjectType } from '@crm/domain';
import type { OperationRequest } from '@crm/http';
import { operation } from '../context.js';
import { explainNotFound } from './explain-failure.js';
import { readAfterHeader, type RecordRequest, targetOf, writeOrigin } from './write-request.js';

/**
 * The deletion of one record.
 * @throws ApiError `not_found`; `precondition_failed` if `If-Match` names another version; `conflict` with the counts for an account
 * that is in use
 */
export const deleteRecord = (contract: OperationContract, kind: ObjectType | 'note') =>
  operation<OperationContract>(
    contract,
    async ({ database }, request: OperationRequest<OperationContract> & RecordRequest) => {
      const { organizationId } = request.caller;
      const target = await targetOf(database, kind, request);
      const work = () => deleteFromDatabase(database, organizationId, kind, target, writeOrigin(request));
      const { result, readMark } = await explainNotFound(database, organizationId, kind, target.id, work);
      const { id, position } = result;
      return { message: `Deleted ${kind}`, data: { id, position }, headers: readAfterHeader(readMark) };
    },
  );
