import fc from 'fast-check';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const headerBytes = 17;

const bytesOf = (cursor: string): Buffer => Buffer.from(cursor, 'base64url');

const withByte = (cursor: string, at: number, change: (byte: number) => number): string => {
  const bytes = bytesOf(cursor);
  const index = at % bytes.length;
  bytes[index] = change(bytes[index] ?? 0) & 0xff;
  return bytes.toString('base64url');
};

/** The cursor with another position under its old signature. */
const withPosition = (cursor: string, change: (json: string) => string): string => {
  const bytes = bytesOf(cursor);
  const json = change(bytes.subarray(headerBytes).toString('utf8'));
  return Buffer.concat([bytes.subarray(0, headerBytes), Buffer.from(json, 'utf8')]).toString('base64url');
};

const replaceAt = (text: string, at: number, by: string, length = 1): string =>
  text.slice(0, at % text.length) + by + text.slice((at % text.length) + length);

const positions = [
  '[]',
  'null',
  '{}',
  '["9999-12-31T23:59:59.999Z","ffffffff-ffff-ffff-ffff-ffffffffffff"]',
  `["' OR TRUE --","x"]`,
  '[null,null]',
];

/** Texts that are nearly a cursor: with other characters, bits, lengths or positions, or put together from several cursors. */
export const mutatedCursors = (cursors: readonly string[]): fc.Arbitrary<string> => {
  const cursor = fc.constantFrom(...cursors);
  const place = fc.nat({ max: 10_000 });
  const letter = fc.constantFrom(...Array.from(alphabet));
  const changes: fc.Arbitrary<string>[] = [
    fc.tuple(cursor, place, letter).map(([text, at, by]) => replaceAt(text, at, by)),
    fc.tuple(cursor, place, letter).map(([text, at, by]) => replaceAt(text, at, by, 0)),
    fc
      .tuple(cursor, place, fc.integer({ min: 1, max: 9 }))
      .map(([text, at, length]) => replaceAt(text, at, '', length)),
    fc.tuple(cursor, place).map(([text, at]) => text.slice(0, at % text.length)),
    fc
      .tuple(cursor, place, fc.nat({ max: 7 }))
      .map(([text, at, bit]) => withByte(text, at, (byte) => byte ^ (1 << bit))),
    fc.tuple(cursor, fc.nat({ max: 255 })).map(([text, byte]) => withByte(text, 0, () => byte)),
    fc.tuple(cursor, fc.constantFrom(...positions)).map(([text, position]) => withPosition(text, () => position)),
    cursor.map((text) => withPosition(text, (json) => ` ${json}`)),
    cursor.map((text) => withPosition(text, (json) => json.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)))),
    fc.tuple(cursor, cursor, place).map(([a, b, at]) => a.slice(0, at % a.length) + b.slice(at % a.length)),
    fc
      .tuple(cursor, cursor)
      .map(([a, b]) =>
        Buffer.concat([bytesOf(a).subarray(0, headerBytes), bytesOf(b).subarray(headerBytes)]).toString('base64url'),
      ),
    fc
      .tuple(cursor, fc.constantFrom('=', '==', '.', '\n', ' ', '%00', '+', '/', '😀'))
      .map(([text, end]) => text + end),
    fc.tuple(cursor, fc.constantFrom(' ', 'v1.', '\t', '"')).map(([text, start]) => start + text),
    cursor.map((text) => text.toUpperCase()),
    cursor.map((text) => text + text),
    cursor.map((text) => bytesOf(text).toString('base64')),
    cursor.map((text) => bytesOf(text).toString('hex')),
    fc.string({ minLength: 1, maxLength: 200 }),
    fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
  ];
  return fc.oneof(...changes).filter((text) => text.trim() !== '' && !cursors.includes(text) && !text.includes('\0'));
};
