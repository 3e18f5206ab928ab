import type { NaturalKeyVector } from './vector.js';
export type { NaturalKeyVector };
/**
 * How inputs become natural keys. One table tests everything that must agree: these functions, the gateways over HTTP
 * and the database's CHECK constraints. Rows of one kind with the same `expected` are the same record.
 */
export declare const naturalKeyVectors: readonly NaturalKeyVector[];
/** Whether a normalized domain belongs to a mail provider. */
export declare const freeMailVectors: readonly {
    readonly domain: string;
    readonly expected: boolean;
}[];
/** The name of an account made from a normalized domain alone. */
export declare const accountNameVectors: readonly {
    readonly domain: string;
    readonly expected: string;
}[];
