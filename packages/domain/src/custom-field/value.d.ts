import type { Result } from '../result.js';
import type { CustomValue, CustomValueReferences } from './custom-value.js';
import type { CustomFieldDefinition } from './definition.js';
/**
 * Parses a sent value into the form in which it is stored and read. Nothing is coerced: `"12"` is not a number. A
 * stored value is valid input and comes back unchanged. The caller handles `null`: it clears the field in an update and
 * means absent in a create.
 *
 * @returns the stored form, or the error text for the field's path.
 */
export declare const parseCustomValue: (definition: CustomFieldDefinition, input: unknown, references: CustomValueReferences) => Result<CustomValue>;
