import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MessageBuffer } from './message-buffer.js';

const message = (content: Buffer): Buffer => {
  const head = Buffer.from([0x44, 0, 0, 0, 0]);
  head.writeUInt32BE(4 + content.length, 1);
  return Buffer.concat([head, content]);
};

test('returns all messages whole and in order, and does not overwrite them later', () => {
  const lengths = fc.array(fc.oneof(fc.nat(300), fc.nat(200_000)), { minLength: 1, maxLength: 12 });
  const reads = fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(lengths, reads, (contents, counts) => {
      const sent = Buffer.concat(contents.map((length, n) => message(Buffer.alloc(length, n + 1))));
      const buffer = new MessageBuffer();
      const handed: Buffer[] = [];
      for (let at = 0, read = 0; at < sent.length; read += 1) {
        const { room } = buffer;
        const count = sent.copy(room, 0, at, Math.min(sent.length, at + (counts[read % counts.length] ?? 1)));
        at += count;
        const messages = buffer.received(count);
        if (messages !== null) handed.push(messages);
      }
      let whole = 0;
      for (const messages of handed) {
        for (let at = 0; at < messages.length; whole += 1) at += 1 + messages.readUInt32BE(at + 1);
      }
      expect(whole).toBe(contents.length);
      expect(Buffer.concat(handed).equals(sent)).toBe(true);
    }),
    { numRuns: 100 },
  );
});
