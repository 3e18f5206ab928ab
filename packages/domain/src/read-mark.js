const kinds = ['transaction', 'position'];
// The layout: one byte of version and kind, cluster, value.
const versionBits = 0x10;
const byteLength = 1 + 8 + 8;
/** The mark as `X-Read-After` carries it: base64url without padding. */
export const encodeReadMark = ({ cluster, kind, value }) => {
    const bytes = Buffer.alloc(byteLength);
    bytes.writeUInt8(versionBits | kinds.indexOf(kind));
    // PostgreSQL shows the identifier as a signed number.
    bytes.writeBigInt64BE(BigInt.asIntN(64, cluster), 1);
    bytes.writeBigUInt64BE(value, 9);
    return bytes.toString('base64url');
};
/** Decodes a text of `encodeReadMark`; null for every other text. */
export const decodeReadMark = (text) => {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length !== byteLength || bytes.toString('base64url') !== text)
        return null;
    const head = bytes.readUInt8();
    const kind = kinds[head & ~versionBits];
    if ((head & versionBits) === 0 || kind === undefined)
        return null;
    return { cluster: bytes.readBigInt64BE(1), kind, value: bytes.readBigUInt64BE(9) };
};
//# sourceMappingURL=read-mark.js.map