import type { ErrorCollector } from '../errors.js';
import { type FieldIndex, type FieldSelection } from './field-index.js';
/** The maximum number of names in one `fields`. */
export declare const maxFieldNames = 100;
/** The name that stands for every visible custom field. */
export declare const allCustomFields = "custom_fields";
/**
 * Reads `fields`: texts that may each contain several names, separated by commas. Blank names are skipped. A `fields`
 * with only blank names counts as absent. The keys of every record are always shown, and naming them is allowed. Other
 * names add extras or narrow `custom_fields`. A hidden custom field is shown only if it is named.
 * @param input a text, an array of texts, or null or undefined when it was not given
 * @param whenAbsent the selection if `fields` is absent; by default the default selection
 * @returns the selection; `whenAbsent` also after an error. Every error is on `fields`.
 */
export declare const parseFieldSelection: (input: unknown, fieldIndex: FieldIndex, errors: ErrorCollector, whenAbsent?: FieldSelection) => FieldSelection;
