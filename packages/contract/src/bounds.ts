/**
 * The limits of requests that only the contract checks; `domain` has the others. Lengths are in Unicode code points, as
 * JSON Schema counts them. Domains have a larger limit on the wire, `rawKeyLength`, because they are normalized first.
 * `domain` checks the limit of the normalized form.
 */

export const titleLength = 255;
export const noteContentLength = 50_000;

/** A domain before normalization: it may be sent as a whole URL. */
export const rawKeyLength = 2_048;
/** A parameter whose own rules are checked in `domain` (`limit`, `sort`). */
export const rawParameterLength = 2_000;
/** One entry of `fields`, which may itself be a comma-separated list. */
export const fieldsEntryLength = 8_192;

/** Emails or domains in one list of a call. */
export const keysPerCall = 100;
/** Ids in one parameter of a query, between commas. */
export const idsPerParameter = 200;
/** Records of each kind that a read of one record includes. */
export const includedRecords = 50;
export const bulkCreateItems = 100;
export const bulkUpdateItems = 50;

export const bodyBytes = 256 * 1024;
export const bulkBodyBytes = 4 * 1024 * 1024;

/** The highest version of a record: an integer of the database. */
export const maxVersion = 2_147_483_647;
