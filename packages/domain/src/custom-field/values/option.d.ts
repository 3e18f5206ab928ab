import { type Result } from '../../result.js';
import type { CustomFieldDefinition } from '../definition.js';
/** Reads a `select` or `radio`: an option's value, or its label if only one option has it. Stored as the value. */
export declare const parseOption: (input: unknown, definition: CustomFieldDefinition) => Result<string>;
/**
 * Reads a `multi_select`: an array of texts as in {@link parseOption}. Stored as values without duplicates, in the
 * order of the options.
 */
export declare const parseOptions: (input: unknown, definition: CustomFieldDefinition) => Result<readonly string[]>;
