import { describe, expect, test } from '@jest/globals';

import { isAlive, parsePostmaster } from './postmaster.js';

describe('postmaster.pid', () => {
  test('contains the process, the port and whether the server is ready', () => {
    const text = '123\n/data\n1700000000\n5433\n\n127.0.0.1\n  1048643 1\nready   \n';
    expect(parsePostmaster(text)).toEqual({ pid: 123, port: 5433, ready: true });
    expect(parsePostmaster(text.replace('ready', 'starting'))).toEqual({ pid: 123, port: 5433, ready: false });
  });

  test.each(['', '\n', 'no number\n', '-5\n', '0\n'])('contains no process without a process id: %j', (text) => {
    expect(parsePostmaster(text)).toBeNull();
  });

  test('is not ready while it is being written', () => {
    expect(parsePostmaster('123\n')).toMatchObject({ pid: 123, ready: false });
  });
});

test('this process is alive, and a process with an id beyond the limit is not', () => {
  expect(isAlive(process.pid)).toBe(true);
  expect(isAlive(2 ** 30)).toBe(false);
});
