import { type NaturalKeyVector } from './vector.js';
/** Email addresses, see {@link NaturalKeyVector}. */
export declare const emailVectors: readonly NaturalKeyVector[];
