import { expect, test } from '@jest/globals';
import type { JsonPart } from '../operation.js';
import { jsonBytes } from './json-bytes.js';

const bytes = (text: string): Buffer => Buffer.from(text);

test.each<[string, readonly JsonPart[], string]>([
  ['nothing', [], ''],
  ['an empty list', ['[', [], ']'], '[]'],
  ['one record', ['[', [bytes('{"a":1}')], ']'], '[{"a":1}]'],
  ['several records, one of them empty', ['[', [bytes('1'), bytes(''), bytes('"ü€😀"')], ']'], '[1,,"ü€😀"]'],
  ['bytes and texts of several bytes per character', ['"ü"', bytes(',"😀",'), '"\ud800"'], '"ü","😀","\ufffd"'],
  ['several lists', [[bytes('1'), bytes('2')], ';', [bytes('3')]], '1,2;3'],
  ['views of one buffer', [[bytes('abc').subarray(1, 2), bytes('abc').subarray(2)]], 'b,c'],
])('%s', (_, parts, expected) => {
  expect(jsonBytes(parts).toString()).toBe(expected);
});
