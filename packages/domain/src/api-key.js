import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'crm_live_';
const randomLength = 30;
const checksumLength = 6;
const wellFormed = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);
/** The CRC-32 of the text in base62. It detects a mistyped key without a database lookup, and protects nothing. */
const checksum = (text) => {
    let rest = crc32(text);
    let digits = '';
    for (let i = 0; i < checksumLength; i++) {
        digits = base62.charAt(rest % 62) + digits;
        rest = Math.floor(rest / 62);
    }
    return digits;
};
/** A new API key: `crm_live_`, 30 random base62 characters (178 bits) and a checksum of 6. It is never stored. */
export const generateApiKey = () => {
    let body = prefix;
    for (let i = 0; i < randomLength; i++)
        body += base62.charAt(randomInt(62));
    return body + checksum(body);
};
/**
 * Returns the key if its form and checksum are right, else `null`. Text that fails cannot be a key, so it needs no
 * lookup.
 */
export const parseApiKey = (text) => {
    if (!wellFormed.test(text))
        return null;
    const body = text.slice(0, -checksumLength);
    return text.slice(-checksumLength) === checksum(body) ? text : null;
};
/** The stored form of a key: its SHA-256, 32 bytes. A plain hash is enough, because a key has 178 random bits. */
export const hashApiKey = (key) => hash('sha256', key, 'buffer');
//# sourceMappingURL=api-key.js.map