import { type Result } from '../result.js';
import { type AttributeType, type FieldMetadata } from './definition.js';
/** The maximum number of options of one field, including archived ones. */
export declare const maxOptions = 500;
/** The maximum length of an option's label and of its value, in characters. */
export declare const maxOptionTextLength = 255;
/** The upper limit for the maximum of a rating. */
export declare const maxRatingMax = 100;
/** The accepted names of colours. Options without a colour get them in turn. */
export declare const optionColors: readonly ['blue', 'green', 'yellow', 'orange', 'red', 'purple', 'pink', 'teal', 'brown', 'gray'];
/** Reads the colour of a stage or option: one of {@link optionColors}, or `#rrggbb`. */
export declare const parseColor: (input: string) => Result<string>;
/**
 * Reads the settings of a definition's type and fills in every default: option colours, an option's value if only its
 * label is given, a rating's maximum. Absent metadata counts as an empty object. Types without settings accept none and
 * give null. The result is valid input and then comes back unchanged.
 */
export declare const parseFieldMetadata: (attributeType: AttributeType, input: unknown) => Result<FieldMetadata | null>;
