import { type Result } from '../../result.js';
import { type CustomFieldDefinition } from '../definition.js';
/** Reads a `number` or a `percentage`, where 50 is 50 %. */
export declare const parseNumber: (input: unknown) => Result<number>;
/** Reads a `currency` amount in the currency's main unit. */
export declare const parseCurrency: (input: unknown) => Result<number>;
/** Reads a `rating`: an integer from 0 to the definition's maximum. */
export declare const parseRating: (input: unknown, definition: CustomFieldDefinition) => Result<number>;
/** Reads a `checkbox`. */
export declare const parseCheckbox: (input: unknown) => Result<boolean>;
