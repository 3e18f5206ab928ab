import type { Merged, MergeBody, OperationContract } from '@crm/contract';
import { type MergedObject, mergeRecords, type MergeResult } from '@crm/db';
import { ApiError, isFailure, validationError } from '@crm/domain';
import type { OperationRequest } from '@crm/http';
import type { Context } from './context.js';
import { explainNotFound } from './explain-not-found.js';
import { readIfMatch } from './if-match.js';
import { runIdempotent } from './run-idempotent.js';
import { writeOrigin } from './write-origin.js';

/** The shape that merges share. */
type MergeRequest = Pick<OperationRequest<OperationContract>, 'caller' | 'header' | 'query' | 'requestId'> & {
  readonly params: { readonly id: string };
  readonly body: MergeBody;
};

interface MergeReply {
  readonly message: string;
  readonly data: Merged;
  readonly headers?: Readonly<Record<string, string>>;
}

const answerMerge =
  (kind: MergedObject, isDryRun: boolean) =>
  ({ conflicts, ...result }: MergeResult): MergeReply => ({
    message: isDryRun ? `Would merge the ${kind}` : `Merged the ${kind}`,
    data: { ...result, dry_run: isDryRun, filled: [...result.filled], conflicts: isDryRun ? [...conflicts] : [] },
  });

/** Runs a merge. After a timeout the same merge would time out again, so the response says what to do. */
const runOrExplain = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (!isFailure(error, 'timeout')) throw error;
    const message = 'The merge took too long: delete or move some of the opportunities, contacts or notes first';
    throw new ApiError('timeout', { message, errors: { from: 'has too many records to merge' }, cause: error });
  }
};

/**
 * Merges the record `from` of the body into the record of the path.
 * @throws ApiError `not_found`, with `merged_into` if the record was merged before; `validation_failed` for an unknown
 * `from`; `precondition_failed`; `conflict` for opportunities that would get the same natural key, and for too many
 * records; `timeout`
 */
export const mergeRecord = (
  context: Context,
  contract: OperationContract,
  request: MergeRequest,
  kind: MergedObject,
): Promise<MergeReply> => {
  const { database } = context;
  const { organizationId } = request.caller;
  const isDryRun = request.body.dry_run === true;
  // The digest of the request includes the id in the path, because it changes the meaning of the request.
  const id = request.params.id.toLowerCase();
  const idempotentRequest = { ...request, body: { ...request.body, id } };
  return runIdempotent(context, contract, idempotentRequest, {
    answer: answerMerge(kind, isDryRun),
    run: async (idempotency) => {
      const from = request.body.from.toLowerCase();
      if (from === id) throw validationError({ from: `is the ${kind} that it would be merged into` });
      const merge = {
        id,
        version: readIfMatch(request.header('if-match')),
        from,
        isDryRun,
        mergesOpportunities: request.body.deals === 'merge',
      };
      return explainNotFound(database, organizationId, kind, id, () =>
        runOrExplain(() => mergeRecords(database, organizationId, kind, merge, idempotency, writeOrigin(request))),
      );
    },
  });
};
