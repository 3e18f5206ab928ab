import type { FieldIndex } from './field-index.js';
/** The error text for an unknown field name, with the visible field that the caller probably meant. */
export declare const unknownFieldText: ({ objectType, fullSelection }: FieldIndex, name: string) => string;
