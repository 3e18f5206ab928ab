import fc from 'fast-check';

const headerBytes = 17;
const bytesOf = (cursor: string): Buffer => Buffer.from(cursor, 'base64url');

/** The signature of one cursor with the position of another, or with any position. */
const signed = (by: string, position: Buffer): string =>
  Buffer.concat([bytesOf(by).subarray(0, headerBytes), position]).toString('base64url');

const withBit = (cursor: string, at: number, bit: number): string => {
  const bytes = bytesOf(cursor);
  const index = at % bytes.length;
  bytes[index] = (bytes[index] ?? 0) ^ (1 << bit);
  return bytes.toString('base64url');
};

const positions = ['[]', 'null', '["9999-12-31T23:59:59.999Z","x"]', `["' OR TRUE --","x"]`, '[null,null]'];

/** Texts that are nearly a cursor: with other characters, bits, lengths or positions, or put together from several cursors. */
export const mutatedCursors = (cursors: readonly string[]): fc.Arbitrary<string> => {
  const cursor = fc.constantFrom(...cursors);
  const place = fc.nat({ max: 10_000 });
  const changes: fc.Arbitrary<string>[] = [
    fc.tuple(cursor, place).map(([text, at]) => text.slice(0, at % text.length)),
    fc.tuple(cursor, place, fc.nat({ max: 7 })).map(([text, at, bit]) => withBit(text, at, bit)),
    fc.tuple(cursor, fc.constantFrom(...positions)).map(([text, position]) => signed(text, Buffer.from(position))),
    fc.tuple(cursor, cursor).map(([a, b]) => signed(a, bytesOf(b).subarray(headerBytes))),
    fc.tuple(cursor, cursor, place).map(([a, b, at]) => a.slice(0, at % a.length) + b.slice(at % a.length)),
    fc.tuple(cursor, fc.constantFrom('=', '.', '\n', ' ', '%00', '+', '/', 'A', '😀')).map(([text, end]) => text + end),
    fc.tuple(cursor, fc.constantFrom(' ', 'v1.', '\t', '"')).map(([text, start]) => start + text),
    cursor.map((text) => text.toUpperCase()),
    cursor.map((text) => text + text),
    cursor.map((text) => bytesOf(text).toString('hex')),
    fc.string({ minLength: 1, maxLength: 200 }),
  ];
  return fc.oneof(...changes).filter((text) => text.trim() !== '' && !cursors.includes(text) && !text.includes('\0'));
};
