/** Identifies a write. A server may serve a read with this mark only if it already has that write. */
export interface ReadMark {
    /** The system identifier of the PostgreSQL cluster of the write. A mark means nothing to other clusters. */
    readonly cluster: bigint;
    /** Either a transaction that must be committed, or a WAL position that must be reached. */
    readonly kind: 'transaction' | 'position';
    /** The id of the transaction (never reused: 64 bits), or bytes of WAL. */
    readonly value: bigint;
}
/** The mark as `X-Read-After` carries it: base64url without padding. */
export declare const encodeReadMark: ({ cluster, kind, value }: ReadMark) => string;
/** Decodes a text of `encodeReadMark`; null for every other text. */
export declare const decodeReadMark: (text: string) => ReadMark | null;
