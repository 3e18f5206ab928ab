import {
  type BulkResult,
  type BulkResults,
  compileOperation,
  type ItemOf,
  type OperationContract,
} from '@crm/contract';
import {
  type ByIndex,
  type Catalog,
  type IndexedWrite,
  runWrites,
  type Write,
  type WriteFunction,
  type WrittenRecord,
} from '@crm/db';
import {
  ApiError,
  ErrorCollector,
  type Failure,
  type FieldErrors,
  isFailure,
  reportedItemErrors,
  validationError,
} from '@crm/domain';
import { type OperationRequest, toApiError } from '@crm/http';
import type { Context } from './context.js';
import { runIdempotent } from './run-idempotent.js';
import { warningsExtra } from './warnings.js';

/** What an applied item answers; `unapplied` only on creates. */
type Applied = WrittenRecord & { readonly unapplied?: readonly string[] };

/** What an item answers that was refused. */
interface Refused {
  readonly id: string | null;
  /** By path within the item; empty for the item as a whole. */
  readonly errors: FieldErrors;
}

/** Items as they were read: those to write, and what the others answer. */
interface ReadItems {
  readonly writes: readonly IndexedWrite<Applied>[];
  readonly answers: ByIndex<Refused>;
}

/** How the items of one bulk operation are written. */
export interface BulkOptions<C extends OperationContract> {
  readonly function: WriteFunction;
  /** Makes the write of an item that fits the contract; every fault is noted in `errors`. */
  readonly read: (catalog: Catalog, item: ItemOf<C>, errors: ErrorCollector) => Write<Applied>;
  /** The field at fault where something is not found. */
  readonly notFoundPath: string;
  /** Where a create takes a column or custom field; under its own name when absent. */
  readonly pathOf?: (name: string) => string;
}

/** The shape that bulk contracts share. */
type BulkRequest = Pick<OperationRequest<OperationContract>, 'caller' | 'header' | 'itemErrors'> & {
  readonly query: { readonly atomic?: string };
  readonly body: { readonly items: readonly unknown[] };
};

/** What every bulk operation answers. */
interface BulkReply {
  readonly message: string;
  readonly data: BulkResults;
  readonly headers?: Readonly<Record<string, string>>;
}

const pathOfItem = (index: string, path: string): string =>
  path === '' ? `items[${index}]` : `items[${index}].${path}`;

/** Some items were refused before anything was written. It answers an atomic call; any other goes on without them. */
class RefusedItemsError extends ApiError {
  constructor(readonly items: ReadItems) {
    const errors = new ErrorCollector();
    for (const [index, answer] of Object.entries(items.answers)) {
      for (const [path, text] of Object.entries(answer.errors)) errors.add(pathOfItem(index, path), text);
    }
    super('validation_failed', { errors: errors.fieldErrors });
  }
}

const isConflict = (value: unknown): value is { readonly field: string; readonly existing_id: string } =>
  typeof value === 'object' && value !== null && 'field' in value && 'existing_id' in value;

/** What is wrong with an item, by the path within it. */
const itemErrors = (error: ApiError, notFoundPath: string): FieldErrors => {
  if (error.errors !== undefined) return error.errors;
  const conflict = error.extra?.['conflict'];
  if (isConflict(conflict)) return { [conflict.field]: `The record ${conflict.existing_id} has this value` };
  if (error.code === 'precondition_failed') return { version: 'The record has another version' };
  return { [notFoundPath]: error.message };
};

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id that an item of an update names, in lower case; null if it names none or is no object. */
export const itemId = (item: unknown): string | null => {
  const id = typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined;
  const text = typeof id === 'string' ? id.toLowerCase() : '';
  return uuidForm.test(text) ? text : null;
};

/** Runs a bulk write. Sent again as it is it would take as long again, so its caller is told what to change. */
const runOrNarrow = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (!isFailure(error, 'timeout')) throw error;
    throw new ApiError('unavailable', {
      message: 'The call took too long: send fewer items',
      errors: { items: 'Took too long: send fewer items in one call, or fewer contacts in each' },
      cause: error,
    });
  }
};

/**
 * Makes the handler of a bulk operation: all good items are written in one transaction, each as a call of its own would
 * be, and every item answers for itself. An atomic call is refused for one bad item, and nothing is written.
 */
export const bulkHandler = <C extends OperationContract>(contract: C) => {
  const { item: validate } = compileOperation(contract);

  const readItem = (
    catalog: Catalog,
    item: unknown,
    textErrors: FieldErrors | undefined,
    { read, notFoundPath }: BulkOptions<C>,
  ): Write<Applied> | Refused => {
    if (textErrors !== undefined) return { id: itemId(item), errors: textErrors };
    try {
      const faults = validate?.(item) ?? null;
      if (faults !== null) throw validationError(faults);
      const errors = new ErrorCollector(reportedItemErrors);
      // It fits the schema that the type is made of.
      const write = read(catalog, item as ItemOf<C>, errors);
      errors.throwIfAny();
      return write;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { id: itemId(item), errors: itemErrors(error, notFoundPath) };
    }
  };

  const readItems = (catalog: Catalog, { body, itemErrors }: BulkRequest, options: BulkOptions<C>): ReadItems => {
    const writes: IndexedWrite<Applied>[] = [];
    const answers: Record<string, Refused> = {};
    for (const [index, item] of body.items.entries()) {
      const found = readItem(catalog, item, itemErrors?.get(index), options);
      if ('errors' in found) answers[index] = found;
      else writes.push({ index, write: found });
    }
    if (Object.keys(answers).length > 0) throw new RefusedItemsError({ writes, answers });
    return { writes, answers };
  };

  return async (
    context: Context,
    request: OperationRequest<C> & BulkRequest,
    options: BulkOptions<C>,
  ): Promise<BulkReply> => {
    const { caller, query, body }: BulkRequest = request;
    const { organizationId } = caller;
    const { items } = body;
    const isAtomic = query.atomic === 'true';
    const orGoOn = (error: unknown): ReadItems => {
      if (isAtomic || !(error instanceof RefusedItemsError)) throw error;
      return error.items;
    };
    const answerRefusals = (refusals: ReadonlyMap<number, Failure>): ByIndex<Refused> => {
      const refused = [...refusals].map(([index, failure]) => {
        const answer = { id: itemId(items[index]), errors: itemErrors(toApiError(failure), options.notFoundPath) };
        return [index, answer] as const;
      });
      const answers = Object.fromEntries(refused);
      if (isAtomic) throw new RefusedItemsError({ writes: [], answers });
      return answers;
    };
    return runIdempotent<ByIndex<Applied | Refused>, BulkReply>(context, contract, request, {
      answer: (results) => answerItems(items.length, results, options.pathOf),
      run: async (idempotency) => {
        const read = await context.catalogs
          .use(organizationId, async (catalog) => readItems(catalog, request, options))
          .catch(orGoOn);
        const bulk = { function: options.function, ...read, answerRefusals };
        return runOrNarrow(() => runWrites(context.database, organizationId, bulk, idempotency));
      },
    });
  };
};

/** The errors of an item as its result shows them: the item as a whole is called `item`. */
const namedErrors = (errors: FieldErrors): Record<string, string> =>
  Object.fromEntries(Object.entries(errors).map(([path, text]) => [path === '' ? 'item' : path, text]));

const answerItem = (index: number, result: Applied | Refused, pathOf?: (name: string) => string): BulkResult =>
  'errors' in result
    ? { index, success: false, record_status: null, id: result.id, errors: namedErrors(result.errors) }
    : {
        index,
        success: true,
        record_status: result.record_status,
        id: result.id,
        ...warningsExtra(result.unapplied ?? [], pathOf),
      };

const answerItems = (
  count: number,
  results: ByIndex<Applied | Refused>,
  pathOf?: (name: string) => string,
): BulkReply => {
  const answers = Array.from({ length: count }, (_, index) => {
    const result = results[index];
    if (result === undefined) throw new Error(`Item ${index} has no result`);
    return answerItem(index, result, pathOf);
  });
  const applied = answers.filter(({ success }) => success).length;
  return { message: `Applied ${applied} of ${count} items`, data: { results: answers } };
};
