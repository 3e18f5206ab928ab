import { type BulkResult, type BulkResults, compileOperation, type OperationContract } from '@crm/contract';
import { type ByIndex, type CreatedRecord, type OrganizationSetup, runWrites } from '@crm/db';
import type { Failure, FieldErrors, ObjectType } from '@crm/domain';
import { type Operation, runInTurns, toApiError } from '@crm/http';
import {
  type BulkOptions,
  type BulkRequest,
  itemErrors,
  itemId,
  readItems,
  type ReadItems,
  type Refused,
  RefusedItemsError,
} from './bulk-items.js';
import { type Context, operation } from '../context.js';
import { explainTimeout } from './explain-failure.js';
import { type Applied, createWrite, type ObjectWrites, updateWrite, useSetup, warningsExtra } from './object-writes.js';
import { runIdempotent } from './run-idempotent.js';
import { findPipelineIds } from './update-record.js';
import { writeOrigin } from './write-request.js';

/** The response data of every bulk operation. */
interface BulkReply {
  readonly message: string;
  readonly data: BulkResults;
  readonly headers?: Readonly<Record<string, string>>;
}

const timeoutErrors = { items: 'took too long: send fewer items in one call, or fewer contacts in each' };

/**
 * Runs a bulk operation. It writes all valid items in one transaction, each like a single call, and returns a result for
 * every item. In an atomic call one invalid item rejects the whole call, and nothing is written.
 */
const runBulk = (
  context: Context,
  contract: OperationContract,
  request: BulkRequest,
  options: BulkOptions,
): Promise<BulkReply> => {
  const { organizationId } = request.caller;
  const { items } = request.body;
  const isAtomic = request.query.atomic === 'true';
  const orGoOn = (error: unknown): ReadItems => {
    if (isAtomic || !(error instanceof RefusedItemsError)) throw error;
    return error.items;
  };
  const refuseItems = (refusals: ReadonlyMap<number, Failure>): ByIndex<Refused> => {
    const refused: Record<string, Refused> = {};
    for (const [index, failure] of refusals)
      refused[index] = { id: itemId(items[index]), errors: itemErrors(toApiError(failure), options.notFoundPath) };
    if (isAtomic) throw new RefusedItemsError({ writes: [], refused });
    return refused;
  };
  return runIdempotent<ByIndex<Applied | Refused>, BulkReply>(context, contract, request, {
    answer: (results) => answerItems(options.objectType, items.length, results),
    run: async (idempotency) => {
      const build = (setup: OrganizationSetup) => runInTurns(readItems(setup, request, options));
      const writesOf = ({ writes }: ReadItems) => writes.map(({ write }) => write);
      const read = await useSetup(context, organizationId, build, writesOf).catch(orGoOn);
      const bulk = { function: options.function, ...read, refuseItems };
      return explainTimeout('The call took too long: send fewer items', timeoutErrors, () =>
        runWrites(context.database, organizationId, bulk, idempotency, writeOrigin(request)),
      );
    },
  });
};

/** A bulk create. */
export const bulkCreate = <Created extends CreatedRecord>(
  contract: OperationContract,
  writes: ObjectWrites<Created>,
): Operation<Context> => {
  const { item: validate } = compileOperation(contract);
  return operation<OperationContract>(contract, (context, request: BulkRequest) =>
    runBulk(context, contract, request, {
      objectType: writes.objectType,
      validate,
      function: `create_${writes.objectType}`,
      notFoundPath: writes.keyPath,
      read: (setup, item, errors) => createWrite(setup, writes, item, request.query.on_match ?? 'keep', errors),
    }),
  );
};

/** A bulk update. */
export const bulkUpdate = <Created extends CreatedRecord>(
  contract: OperationContract,
  writes: ObjectWrites<Created>,
): Operation<Context> => {
  const { item: validate } = compileOperation(contract);
  return operation<OperationContract>(contract, async (context, request: BulkRequest) => {
    const ids = request.body.items.flatMap((item) => itemId(item) ?? []);
    const pipelineIds = await findPipelineIds(context, request.caller.organizationId, writes.objectType, ids);
    return runBulk(context, contract, request, {
      objectType: writes.objectType,
      validate,
      function: `update_${writes.objectType}`,
      notFoundPath: 'id',
      read: (setup, { id, version, ...body }, errors) => {
        const target = { id: String(id).toLowerCase(), version: version as number | undefined };
        return updateWrite(setup, writes, target, body, pipelineIds, errors);
      },
    });
  });
};

/** The errors in an item's result. An error of the item as a whole is on the path `item`. */
const namedErrors = (errors: FieldErrors): Record<string, string> =>
  Object.fromEntries(Object.entries(errors).map(([path, text]) => [path === '' ? 'item' : path, text]));

/** The account, primary contact and note of a created or found record, if its object and its item have them. */
const relatedIds = ({ account_id: account, contact_id: contact, note_id: note }: Applied): Partial<BulkResult> => ({
  ...(account !== undefined && { account_id: account }),
  ...(contact !== undefined && { contact_id: contact }),
  ...(note !== undefined && { note_id: note }),
});

const answerItem = (objectType: ObjectType, index: number, result: Applied | Refused): BulkResult =>
  'errors' in result
    ? { index, success: false, record_status: null, id: result.id, errors: namedErrors(result.errors) }
    : {
        index,
        success: true,
        record_status: result.record_status,
        id: result.id,
        version: result.version,
        ...relatedIds(result),
        ...warningsExtra(objectType, result),
      };

const answerItems = (objectType: ObjectType, count: number, results: ByIndex<Applied | Refused>): BulkReply => {
  const answers = Array.from({ length: count }, (_, index) => {
    const result = results[index];
    if (result === undefined) throw new Error(`Item ${index} has no result`);
    return answerItem(objectType, index, result);
  });
  const applied = answers.filter(({ success }) => success).length;
  return { message: `Applied ${applied} of ${count} items`, data: { results: answers } };
};
