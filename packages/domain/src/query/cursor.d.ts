import { type FilterNode } from './filter/tree.js';
import type { SortKey } from './sort.js';
/**
 * Everything that a request must repeat for its cursor to be valid. It is part of the signature, not of the cursor.
 * Absent keys count as null or empty.
 */
export interface CursorBinding {
    readonly organizationId: string;
    readonly operation: string;
    /** The effective page size. */
    readonly limit: number;
    /** From `parseSearchQuery`. */
    readonly words?: readonly string[];
    readonly filters?: FilterNode | null;
    readonly sort?: readonly SortKey[];
    readonly pipelineId?: string | null;
    readonly stageId?: string | null;
    readonly accountId?: string | null;
    readonly contactId?: string | null;
    readonly opportunityId?: string | null;
    /** The record of a history. */
    readonly recordId?: string | null;
}
/**
 * The position of a caller that pages through a list: the sort keys of the last record shown, as text at the database's
 * full precision, then its id. The database layer decides what the entries mean. A cursor is only valid for the
 * operation and sort that it was made for.
 */
export type CursorPosition = readonly (string | null)[];
/** Makes cursors and reads them back. */
export interface CursorCodec {
    /** The cursor of `position` in the list that `binding` describes: base64url text without padding. */
    encode(binding: CursorBinding, position: CursorPosition): string;
    /**
     * The position in a cursor that `encode` made with an equal binding and one of the secrets. Null if `text` is absent
     * or blank.
     * @throws ApiError `validation_failed` on `cursor` for every other text
     */
    decode(text: string | null | undefined, binding: CursorBinding): CursorPosition | null;
}
/** The maximum length of a cursor, enough for three text keys of 200 code points of any script. */
export declare const maxCursorLength = 8192;
/** The minimum length of a signing secret, in characters. */
export declare const minCursorSecretLength = 16;
/**
 * Makes the codec of cursors: HMAC-SHA-256, cut to 128 bits, over version, binding and position. Cursors do not expire.
 * @param secrets the first signs, all verify, so that a secret can be replaced without breaking cursors in use
 * @throws RangeError when a secret has fewer than {@link minCursorSecretLength} characters
 */
export declare const createCursorCodec: (secrets: readonly [string, ...string[]]) => CursorCodec;
