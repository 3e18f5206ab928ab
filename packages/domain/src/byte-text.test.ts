import { describe, expect, test } from '@jest/globals';
import { fromByteText, toByteText } from './byte-text.js';

describe('a byte text', () => {
  test.each(['', 'plain', 'Zürich', 'Київ', '更新契約', '😀 and \u0000'])(
    'of %j has a character a byte, and comes back',
    (text) => {
      const bytes = toByteText(text);
      expect(bytes).toHaveLength(Buffer.byteLength(text));
      expect(Buffer.from(bytes, 'latin1').equals(Buffer.from(text))).toBe(true);
      expect(fromByteText(bytes)).toBe(text);
    },
  );
});
