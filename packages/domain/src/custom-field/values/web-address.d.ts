import { type Result } from '../../result.js';
/** Reads a `url`: an absolute http or https address. It is stored as the WHATWG URL Standard serialises it. */
export declare const parseUrl: (input: unknown) => Result<string>;
/**
 * Reads a `website`. With a scheme it is read by {@link parseUrl}. Without one it is a host name, perhaps with a port
 * or path. It is then stored without a scheme, because its scheme is unknown.
 */
export declare const parseWebsite: (input: unknown) => Result<string>;
/** Like {@link parseWebsite}, for the website of an account, which has its own length limit. */
export declare const parseAccountWebsite: (input: unknown) => Result<string>;
