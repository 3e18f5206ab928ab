import { type NaturalKeyVector } from './vector.js';
/** Domains, see {@link NaturalKeyVector}. */
export declare const domainVectors: readonly NaturalKeyVector[];
