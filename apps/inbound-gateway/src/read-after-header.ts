/** The header of every write's answer: a read that sends it back sees the write, on a replica too. */
export const readAfterHeader = (readMark: string): Readonly<Record<string, string>> => ({ 'X-Read-After': readMark });
