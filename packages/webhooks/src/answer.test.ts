import { describe, expect, it } from '@jest/globals';
import { storableText, waitOf } from './answer.js';

const now = Date.parse('2026-11-27T12:00:00Z');

describe('waitOf', () => {
  it.each([
    [{}, null],
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': ' 1.5 ' }, 1_500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '99999999999999' }, 99_999_999_999_999_000],
    [{ 'retry-after': '-5' }, null],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '' }, null],
    [{ 'retry-after': 'Fri, 27 Nov 2026 12:00:20 GMT' }, 20_000],
    [{ 'retry-after': 'Friday, 27-Nov-26 12:00:20 GMT' }, 20_000],
    [{ 'retry-after': 'Fri, 27 Nov 2020 12:00:00 GMT' }, 0],
    // The receiver's clock is an hour slow.
    [{ 'retry-after': 'Fri, 27 Nov 2026 11:00:20 GMT', date: 'Fri, 27 Nov 2026 11:00:00 GMT' }, 20_000],
    [{ ratelimit: '"default";r=0;t=30' }, 30_000],
    [{ ratelimit: 'limit=10, remaining=0, reset=5' }, 5_000],
    [{ 'ratelimit-reset': '12' }, 12_000],
    [{ 'x-ratelimit-reset': String(now / 1_000 + 40) }, 40_000],
    [{ 'x-ratelimit-reset': String(now / 1_000 - 40) }, 0],
    [{ 'retry-after': '3', 'ratelimit-reset': '12' }, 3_000],
  ])('reads %j', (headers, ms) => {
    expect(waitOf(headers, now)).toBe(ms);
  });
});

describe('storableText', () => {
  it.each([
    ['a\0b', 'a\uFFFDb'],
    ['\uD800x', '\uFFFDx'],
    [Buffer.from([0xff, 0x41, 0x00]), '\uFFFDA\uFFFD'],
    [Buffer.from('é').subarray(0, 1), '\uFFFD'],
    ['ordinary, é, 😀', 'ordinary, é, 😀'],
  ])('replaces what the database refuses in %j', (text, stored) => {
    expect(storableText(text)).toBe(stored);
  });
});
