import { type Result } from '../../result.js';
import type { LocationValue } from '../custom-value.js';
/** The textual parts of a location, in the order in which `formatted` joins them. */
export declare const locationTextParts: readonly ['address', 'city', 'region', 'postal_code', 'country'];
/**
 * Reads a `location`: one string, which becomes its address, or an object of parts. `formatted` is computed from the
 * parts. It is accepted only if it equals the computed text, so that a value that was read can be sent back unchanged.
 */
export declare const parseLocation: (input: unknown) => Result<LocationValue>;
