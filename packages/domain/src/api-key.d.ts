/** A new API key: `crm_live_`, 30 random base62 characters (178 bits) and a checksum of 6. It is never stored. */
export declare const generateApiKey: () => string;
/**
 * Returns the key if its form and checksum are right, else `null`. Text that fails cannot be a key, so it needs no
 * lookup.
 */
export declare const parseApiKey: (text: string) => string | null;
/** The stored form of a key: its SHA-256, 32 bytes. A plain hash is enough, because a key has 178 random bits. */
export declare const hashApiKey: (key: string) => Buffer;
