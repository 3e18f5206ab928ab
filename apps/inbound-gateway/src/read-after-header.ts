/** The header in the response to every write. A read that sends it back sees the write, even on a replica. */
export const readAfterHeader = (readMark: string): Readonly<Record<string, string>> => ({ 'X-Read-After': readMark });
