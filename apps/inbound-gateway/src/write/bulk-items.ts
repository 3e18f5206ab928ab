import type { OperationContract, Validator } from '@crm/contract';
import {
  type ByIndex,
  type IndexedWrite,
  indexedWrite,
  type OnMatch,
  type OrganizationSetup,
  type Write,
  type WriteFunction,
} from '@crm/db';
import {
  ApiError,
  type Body,
  ErrorCollector,
  type FieldErrors,
  type ObjectType,
  reportedItemErrors,
  type Steps,
} from '@crm/domain';
import type { OperationRequest } from '@crm/http';
import type { Applied } from './object-writes.js';

/** The entry for a rejected item. */
export interface Refused {
  readonly id: string | null;
  /** By path within the item; empty for the item as a whole. */
  readonly errors: FieldErrors;
}

/** The parsed items: the ones to write, and entries for the rejected ones. */
export interface ReadItems {
  readonly writes: readonly IndexedWrite<Applied>[];
  readonly refused: ByIndex<Refused>;
}

/** How the items of one bulk operation are written. */
export interface BulkOptions {
  readonly objectType: ObjectType;
  readonly function: WriteFunction;
  /** Checks an item against the contract. */
  readonly validate: Validator | undefined;
  /** Builds the write of an item that fits the contract; adds every fault to `errors`. */
  readonly read: (setup: OrganizationSetup, item: Body, errors: ErrorCollector) => Steps<Write<Applied>>;
  /** The field to name if a record is not found. */
  readonly notFoundPath: string;
}

/** The shape that bulk contracts share. */
export type BulkRequest = OperationRequest<OperationContract> & {
  readonly query: { readonly atomic?: string; readonly on_match?: OnMatch };
  readonly body: { readonly items: readonly unknown[] };
};

const pathOfItem = (index: string, path: string): string =>
  path === '' ? `items[${index}]` : `items[${index}].${path}`;

/**
 * Thrown if items are rejected before anything is written. An atomic call ends here; any other call continues without
 * them.
 */
export class RefusedItemsError extends ApiError {
  constructor(readonly items: ReadItems) {
    const errors = new ErrorCollector();
    for (const [index, entry] of Object.entries(items.refused)) {
      for (const [path, text] of Object.entries(entry.errors)) errors.add(pathOfItem(index, path), text);
    }
    super('validation_failed', { errors: errors.fieldErrors });
  }
}

/**
 * The conflict of a taken key. If two records have the keys, `existing_id` has the external id and `other_id` the
 * natural key.
 */
interface KeyConflict {
  readonly field: string;
  readonly existing_id: string;
  readonly other_id?: string;
  /** That of the record, if the item has another one. */
  readonly external_id?: string;
  /** The index of the item that created the record in the same call: its id is known only when the call ends. */
  readonly existing_item?: number;
  readonly other_item?: number;
}

const recordText = (id: string | undefined, item: number | undefined): string =>
  item === undefined ? `the record ${id}` : `the record of item ${item}`;

const isConflict = (value: unknown): value is KeyConflict =>
  typeof value === 'object' && value !== null && 'field' in value && 'existing_id' in value;

/** The errors of an item, by the path within it. */
export const itemErrors = (error: ApiError, notFoundPath: string): FieldErrors => {
  if (error.errors !== undefined) return error.errors;
  const conflict = error.extra?.['conflict'];
  if (isConflict(conflict)) {
    const otherRecord = recordText(conflict.other_id, conflict.other_item);
    const other = conflict.other_id === undefined ? '' : `; the natural key is used by ${otherRecord}`;
    const own = conflict.external_id === undefined ? '' : `, whose external_id is "${conflict.external_id}"`;
    const existing = recordText(conflict.existing_id, conflict.existing_item);
    return { [conflict.field]: `is already used by ${existing}${own}${other}` };
  }
  if (error.code === 'precondition_failed') return { version: 'is not the current version of the record' };
  if (error.code === 'not_found') return { [notFoundPath]: 'is not the id of a record' };
  return { [notFoundPath]: error.message };
};

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id in an item of an update, in lower case; null if there is no valid one. */
export const itemId = (item: unknown): string | null => {
  const id = typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined;
  const text = typeof id === 'string' ? id.toLowerCase() : '';
  return uuidForm.test(text) ? text : null;
};

/** Parses an item: the write to run, or the entry for a rejected item. @param faults - of its JSON or against the contract */
function* readItem(
  setup: OrganizationSetup,
  item: unknown,
  faults: FieldErrors | null,
  options: BulkOptions,
): Steps<Write<Applied> | Refused> {
  if (faults !== null) return { id: itemId(item), errors: faults };
  try {
    const errors = new ErrorCollector(reportedItemErrors);
    // The contract has checked that an item is an object.
    const write = yield* options.read(setup, item as Body, errors);
    errors.throwIfAny();
    return write;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { id: itemId(item), errors: itemErrors(error, options.notFoundPath) };
  }
}

/**
 * Reads the items. It runs in steps, because reading a hundred items with a hundred internationalised domains each takes seconds.
 * @throws RefusedItemsError if an item is invalid. The setup may be outdated: `SetupCache.use` then reads the items again with a fresh one
 */
export function* readItems(
  setup: OrganizationSetup,
  { body, itemErrors: jsonFaults }: BulkRequest,
  options: BulkOptions,
): Steps<ReadItems> {
  const writes: IndexedWrite<Applied>[] = [];
  const refused: Record<string, Refused> = {};
  for (const [index, item] of body.items.entries()) {
    const faults = jsonFaults?.get(index) ?? options.validate?.(item) ?? null;
    const found = yield* readItem(setup, item, faults, options);
    if ('errors' in found) refused[index] = found;
    else {
      yield;
      writes.push(indexedWrite(index, found));
    }
    yield;
  }
  const read = { writes, refused };
  if (Object.keys(refused).length > 0) throw new RefusedItemsError(read);
  return read;
}
