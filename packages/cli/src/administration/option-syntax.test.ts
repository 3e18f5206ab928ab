import { describe, expect, it } from '@jest/globals';

import { readOption } from './option-syntax.js';
import { readStages } from './stage-option.js';

describe('readOption', () => {
  it.each([
    ['web=Website:blue', { value: 'web', label: 'Website', color: 'blue' }],
    ['web=Website', { value: 'web', label: 'Website' }],
    ['Referral', { label: 'Referral' }],
    ['Referral:#ff8800', { label: 'Referral', color: '#ff8800' }],
    ['ratio=Ratio 1:2', { value: 'ratio', label: 'Ratio 1:2' }],
    ['ratio=Ratio 1:2:teal', { value: 'ratio', label: 'Ratio 1:2', color: 'teal' }],
    [' a = A : red ', { value: 'a', label: 'A', color: 'red' }],
  ])('reads %s', (text, expected) => {
    expect(readOption(text)).toEqual(expected);
  });
});

describe('readStages', () => {
  it('keeps the order, reads probabilities, and makes the first stage the default', () => {
    expect(readStages(['Open:10%', 'Ratio: 1:2', 'Won:100%'], undefined)).toEqual([
      { label: 'Open', probability: 10, isDefault: true },
      { label: 'Ratio: 1:2', probability: undefined, isDefault: false },
      { label: 'Won', probability: 100, isDefault: false },
    ]);
    expect(readStages(['A', 'B'], 'B').map(({ isDefault }) => isDefault)).toEqual([false, true]);
  });

  it('refuses an unknown default stage, probabilities above 100%, and blank or repeated labels', () => {
    expect(() => readStages(['A'], 'B')).toThrow('--default-stage: There is no stage "B".');
    expect(() => readStages(['A:101%'], undefined)).toThrow(/0% to 100%/);
    expect(() => readStages([' '], undefined)).toThrow(/blank/);
    expect(() => readStages(['A', 'B', 'A:10%'], undefined)).toThrow('--stage: "A" is given twice.');
  });
});
