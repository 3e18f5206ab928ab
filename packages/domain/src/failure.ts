import type { FieldErrors } from './errors.js';
import type { ObjectType } from './object-type.js';
import type { setupLimits } from './setup-limits.js';

/** The parts of an organization's setup that have a unique name, label, slug or email. */
export type SetupKind = 'pipeline' | 'stage' | 'field' | 'member';

/** An external id in a request that names no record, or another record than the domain or email beside it. */
export interface RefusedLink {
  /** The dotted path of the external id in the body. */
  readonly path: string;
  readonly object: 'account' | 'contact';
  /** The domain or email beside it. */
  readonly key?: string;
  /** The domain or email of the record with the external id; null if there is none. */
  readonly found: string | null;
}

/** Why an operation failed in a layer below HTTP. `packages/http` gives each kind its status and text. */
export type FailureReason =
  | { readonly kind: 'not_found' }
  /** The record's version is not the one in the request. */
  | { readonly kind: 'precondition_failed' }
  /** The thing to create already exists, or its state forbids the change. */
  | { readonly kind: 'conflict' }
  /**
   * Another record has the natural key or external id. `field` is the column or reference to change. `externalId` is that of
   * the other record, if a create sends another one. If an earlier item of the same bulk call created that record,
   * `existingItem` is the index of the item.
   */
  | {
      readonly kind: 'key_taken';
      readonly object: ObjectType | SetupKind;
      readonly field: string;
      readonly existingId: string;
      readonly externalId?: string;
      readonly existingItem?: number;
    }
  /**
   * The external id of a create belongs to `existingId`, its natural key to another record, `otherId`. The
   * items are those that created these records in the same bulk call.
   */
  | {
      readonly kind: 'two_records';
      readonly object: ObjectType;
      readonly existingId: string;
      readonly otherId: string;
      readonly existingItem?: number;
      readonly otherItem?: number;
    }
  /** A create sends an external id without a natural key, and no record has the external id. */
  | { readonly kind: 'external_id_unknown'; readonly object: ObjectType }
  /** An account that contacts or opportunities refer to cannot be deleted. */
  | { readonly kind: 'account_in_use'; readonly contacts: number; readonly opportunities: number }
  /** A stage or member with opportunities cannot be removed. The count stops at 10,000. `moved`: how many the call moved before. */
  | {
      readonly kind: 'setup_in_use';
      readonly object: SetupKind;
      readonly opportunities: number;
      readonly moved?: number;
    }
  /** A custom field with values cannot be deleted, nor change its currency. The count of records stops at 10,000. */
  | {
      readonly kind: 'field_in_use';
      readonly object: ObjectType;
      readonly records: number;
      readonly isDeletion: boolean;
    }
  /** A pipeline needs at least one active stage. */
  | { readonly kind: 'last_stage' }
  /** The pipeline is archived, so it gets no new opportunities and no restored ones. `isNamed`: the request has its name, not its id. */
  | { readonly kind: 'pipeline_archived'; readonly isRestored: boolean; readonly isNamed?: boolean }
  /** The stage of the request, or the one in which new opportunities start, has been archived meanwhile. */
  | { readonly kind: 'stage_archived' }
  /** An archived stage cannot be the one where new opportunities start. */
  | { readonly kind: 'default_stage_archived' }
  /** The setup would exceed one of the `setupLimits`. */
  | { readonly kind: 'setup_too_large'; readonly what: keyof typeof setupLimits; readonly limit: number }
  /** A field has changed since the caller read it: its options are others, or it was deleted. */
  | { readonly kind: 'setup_changed' }
  /** A request links records by external ids that no record has, or that belong to other records than its domains or emails. */
  | { readonly kind: 'links_refused'; readonly links: readonly RefusedLink[] }
  /** The record does not have values that only a record with them may keep. */
  | { readonly kind: 'not_stored'; readonly errors: FieldErrors }
  | { readonly kind: 'too_many_contacts'; readonly limit: number }
  | { readonly kind: 'too_many_webhooks'; readonly limit: number }
  /** A note names opportunities that do not exist. `places` are their indexes in the list, from 0. */
  | { readonly kind: 'unknown_opportunities'; readonly places: readonly number[] }
  /** The position is past the last event that the queried server has. */
  | { readonly kind: 'position_ahead'; readonly lastPosition: number }
  /** The record was restored after this deletion, and then deleted again at `lastPosition`. */
  | { readonly kind: 'deleted_again'; readonly lastPosition: number }
  /** Events after the position are no longer retained. */
  | { readonly kind: 'events_expired'; readonly oldestPosition: number }
  /** The position is one of another log, before a restore of the database for example. */
  | { readonly kind: 'log_changed'; readonly logId: string }
  /** The record to merge from does not exist. */
  | { readonly kind: 'merge_source_not_found' }
  /**
   * A merge would give two opportunities the same natural key. `count` is how many; `conflicts` lists the first ones.
   */
  | { readonly kind: 'opportunities_collide'; readonly count: number; readonly conflicts: readonly object[] }
  /** A merge would change more records than one call may. */
  | {
      readonly kind: 'merge_too_large';
      readonly object:
        'opportunities' | 'merged_opportunities' | 'contacts' | 'notes' | 'bytes' | 'additional_contacts';
      readonly limit: number;
    }
  /** A deletion has begun and made progress. A repeated request continues it. */
  | { readonly kind: 'deletion_unfinished' }
  /** A create sends the id of a note that was deleted. */
  | { readonly kind: 'note_deleted' }
  /** A change would leave a note without title and content. */
  | { readonly kind: 'empty_note' }
  /** The Idempotency-Key was already used with another request. */
  | { readonly kind: 'idempotency_mismatch' }
  /** The first request with this Idempotency-Key is still running. */
  | { readonly kind: 'idempotency_in_flight' }
  /**
   * The statement exceeded its limit of time or temporary disk space. A smaller request may succeed, or the same one once the server is less busy.
   */
  | { readonly kind: 'timeout' }
  /** Temporarily impossible. A retry may succeed. */
  | { readonly kind: 'unavailable' };

/** Details for logs and the command line; API responses never contain them. */
export interface FailureOptions {
  readonly message?: string;
  readonly cause?: unknown;
}

/** An error of a layer below HTTP. */
export class Failure extends Error {
  constructor(
    readonly reason: FailureReason,
    { message, cause }: FailureOptions = {},
  ) {
    super(message ?? reason.kind, { cause });
    this.name = 'Failure';
  }
}

/** Whether an error is a failure of one kind. */
export const isFailure = (error: unknown, kind: FailureReason['kind']): boolean =>
  error instanceof Failure && error.reason.kind === kind;
