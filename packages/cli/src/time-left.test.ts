import { describe, expect, it } from '@jest/globals';

import { timeLeft } from './time-left.js';

describe('timeLeft', () => {
  it.each([
    [0.5, 60, 'about 60 s left'],
    [0.25, 60, 'about 3 min left'],
    [0.01, 120, 'about 3.3 h left'],
    [0.999, 10, 'about 1 s left'],
    [0, 10, ''],
    [1, 10, ''],
    [Number.NaN, 10, ''],
    [0.5, 0.2, ''],
  ])('after %d of the work in %d s returns %j', (fraction, seconds, text) => {
    expect(timeLeft(fraction, seconds)).toBe(text);
  });
});
