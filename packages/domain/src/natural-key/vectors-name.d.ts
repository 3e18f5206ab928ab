import { type NaturalKeyVector } from './vector.js';
/** Names of opportunities, see {@link NaturalKeyVector}. */
export declare const nameVectors: readonly NaturalKeyVector[];
