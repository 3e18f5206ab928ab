/** The header of every write's response: a read that sends it back sees the write, even on a replica. */
export const readAfterHeader = (readMark: string): Readonly<Record<string, string>> => ({ 'X-Read-After': readMark });
