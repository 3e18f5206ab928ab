import {
  defaultLimit,
  maxAdditionalContacts,
  maxAccountWebsiteLength,
  maxCursorLength,
  maxCustomValues,
  maxFieldNames,
  maxFilterDepth,
  maxFilterLeaves,
  maxLimit,
  maxNameLength,
  maxPageBytes,
  maxQueryLength,
  maxSortKeys,
  maxSummaryGroupings,
  maxSummaryGroups,
  maxSummaryMeasures,
  maxWaitSeconds,
} from '@crm/domain';

/**
 * The limits of everything in a request. Lengths are in Unicode code points, as JSON Schema counts them. Emails and domains have a
 * larger limit on the wire, `rawKeyLength`, because they are normalized first. `domain` checks the limit of the normalized form.
 */

export const nameLength = maxNameLength;
export const titleLength = 255;
export const noteContentLength = 50_000;
export const urlLength = maxAccountWebsiteLength;

/** An email or a domain before normalization. A domain may be sent as a whole URL. */
export const rawKeyLength = 2_048;
/** `q` and `query`. */
export const queryLength = maxQueryLength;
/** A parameter whose own rules are checked in `domain` (`limit`, `sort`). */
export const rawParameterLength = 2_000;
/** A cursor: up to three sort keys of 200 code points and its own parts, in base64. */
export const cursorLength = maxCursorLength;
/** One entry of `fields`, which may itself be a comma-separated list. */
export const fieldsEntryLength = 8_192;

/** Emails or domains in one list of a call. */
export const keysPerCall = 100;
export const additionalContacts = maxAdditionalContacts;
export const fieldsPerSelection = maxFieldNames;
export const customValuesPerRecord = maxCustomValues;
export const sortKeys = maxSortKeys;
export const filterLeaves = maxFilterLeaves;
export const filterDepth = maxFilterDepth;
export const filterListValues = 200;
/** Fields that a summary groups by, its measures, and the groups in its response. */
export const summaryGroupings = maxSummaryGroupings;
export const summaryMeasures = maxSummaryMeasures;
export const summaryGroups = maxSummaryGroups;
export const bulkCreateItems = 100;
export const bulkUpdateItems = 50;

export const pageLimitMin = 1;
export const pageLimitMax = maxLimit;
export const pageLimitDefault = defaultLimit;
/** The maximum size of the records in a page, in bytes. */
export const pageBytes = maxPageBytes;

/** The longest wait of a request for events. */
export const waitSeconds = maxWaitSeconds;

export const bodyBytes = 256 * 1024;
export const bulkBodyBytes = 4 * 1024 * 1024;

export { reportedErrors, reportedItemErrors } from '@crm/domain';

/** The highest version of a record: an integer of the database. */
export const maxVersion = 2_147_483_647;
