import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PacketReader } from './packet-reader.js';

const headBytes = 5;

const messageOf = (code: number, content: Buffer): Buffer => {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(code, 0);
  head.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
};

/** Contents that are empty, short, about as long as what is read at once, and longer than all of a reader's room. */
const message = fc
  .record({
    code: fc.integer({ min: 0, max: 255 }),
    length: fc.oneof(
      { weight: 6, arbitrary: fc.nat({ max: 600 }) },
      { weight: 2, arbitrary: fc.integer({ min: 16_000, max: 17_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: 60_000, max: 300_000 }) },
    ),
    byte: fc.integer({ min: 0, max: 255 }),
  })
  .map(({ code, length, byte }) => messageOf(code, Buffer.alloc(length, byte)));

const chunkLengths = fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 70_000 })), {
  minLength: 1,
  maxLength: 20,
});

const chunksOf = (bytes: Buffer, lengths: readonly number[]): Buffer[] => {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunks.at(-1)?.length ?? 0)
    chunks.push(bytes.subarray(at, at + (lengths[chunks.length % lengths.length] ?? 1)));
  return chunks;
};

const writeInto = (reader: PacketReader, chunk: Buffer): void => {
  for (let at = 0; at < chunk.length;) {
    const count = chunk.copy(reader.room, 0, at);
    at += count;
    reader.received(count);
  }
};

describe('messages that arrive in chunks', () => {
  test.each([
    ['as a socket writes them', writeInto],
    ['as they come out of TLS', (reader: PacketReader, chunk: Buffer) => reader.append(chunk)],
  ])('are read whole and in their order, %s', (_, send) => {
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 12 }), chunkLengths, (messages, lengths) => {
        const read: Buffer[] = [];
        const reader = new PacketReader((offset, code, length, bytes) => {
          read.push(messageOf(code, bytes.subarray(offset, offset + length - 4)));
        });
        for (const chunk of chunksOf(Buffer.concat(messages), lengths)) send(reader, Buffer.from(chunk));
        expect(Buffer.concat(read).equals(Buffer.concat(messages))).toBe(true);
        expect(read).toHaveLength(messages.length);
      }),
      { numRuns: 60 },
    );
  });

  test('have their usual room again after a long one', () => {
    const reader = new PacketReader(() => undefined);
    const usual = reader.room.length;
    reader.append(messageOf(1, Buffer.alloc(3_000_000)));
    expect(reader.room.length).toBe(usual);
  });
});
