import { describe, expect, test } from '@jest/globals';

import { proseFaults } from '../scripts/prose.mjs';

describe('proseFaults', () => {
  test.each([
    ['An outage is told once', 'told'],
    ['// The header tells how many are left', 'tells'],
    [' * so that nobody learns which paths exist', 'nobody'],
    ['-- Whoever migrates waits', 'Whoever'],
    ["message: 'makes all records anew'", 'anew'],
    ['reads the text behind the `?`', 'behind'],
    ['the walk goes on after the last record', 'goes on'],
    ['null where none was sent', 'where none was'],
  ])('finds the word in %j', (text, word) => {
    expect(proseFaults(text).map((fault) => fault.word)).toEqual([word]);
  });

  test('returns the line and what to write instead', () => {
    expect(proseFaults('one\ntwo anew\n')).toEqual([
      { line: 2, word: 'anew', better: expect.stringContaining('again') },
    ]);
  });

  test.each([
    'plus-tags tell people apart',
    'run both behind one proxy',
    'a refused note leaves nothing behind',
    'how far the replica is behind',
    'the user `nobody` runs it',
    "email: 'nobody@x.com'",
    "parseUser(passwd, 'nobody')",
    'a statement, storytellers and foretold things',
  ])('leaves %j alone', (text) => {
    expect(proseFaults(text)).toEqual([]);
  });
});
