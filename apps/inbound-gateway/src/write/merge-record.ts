import type { MergeBody, OperationContract } from '@crm/contract';
import { type MergedObject, mergeRecords, type MergeResult } from '@crm/db';
import { validationError } from '@crm/domain';
import type { OperationReply, OperationRequest } from '@crm/http';
import { operation } from '../context.js';
import { explainNotFound, explainTimeout } from './explain-failure.js';
import { runIdempotent } from './run-idempotent.js';
import { type RecordRequest, targetOf, writeOrigin } from './write-request.js';

type MergeRequest = OperationRequest<OperationContract> & RecordRequest & { readonly body: MergeBody };

const answerMerge =
  (kind: MergedObject, isDryRun: boolean) =>
  ({ conflicts, ...result }: MergeResult): OperationReply<OperationContract> => ({
    message: isDryRun ? `Would merge the ${kind}` : `Merged the ${kind}`,
    data: { ...result, dry_run: isDryRun, filled: [...result.filled], conflicts: isDryRun ? [...conflicts] : [] },
  });

const timeoutMessage = 'The merge took too long: delete or move some of the opportunities, contacts or notes first';

/**
 * Merges the record `from` of the body into the record of the path.
 * @throws ApiError `not_found`, with `merged_into` if the record was merged before; `validation_failed` for an unknown
 * `from`; `precondition_failed`; `conflict` for opportunities that would get the same natural key, and for too many
 * records; `timeout`
 */
export const mergeRecord = (contract: OperationContract, kind: MergedObject) =>
  operation<OperationContract>(contract, (context, request: MergeRequest) => {
    const { organizationId } = request.caller;
    const { from, dry_run: dryRun, deals } = request.body;
    const isDryRun = dryRun === true;
    // The digest of the request includes the id in the path, because it changes the meaning of the request.
    const id = request.params.id.toLowerCase();
    const idempotentRequest = { ...request, body: { ...request.body, id } };
    return runIdempotent(context, contract, idempotentRequest, {
      answer: answerMerge(kind, isDryRun),
      run: async (idempotency) => {
        const merge = {
          ...(await targetOf(context.database, kind, request)),
          from: from.toLowerCase(),
          isDryRun,
          mergesOpportunities: deals === 'merge',
        };
        if (merge.from === id) throw validationError({ from: `is the ${kind} that it would be merged into` });
        const origin = writeOrigin(request);
        return explainNotFound(context.database, organizationId, kind, id, () =>
          explainTimeout(timeoutMessage, { from: 'has too many records to merge' }, () =>
            mergeRecords(context.database, organizationId, kind, merge, idempotency, origin),
          ),
        );
      },
    });
  });
