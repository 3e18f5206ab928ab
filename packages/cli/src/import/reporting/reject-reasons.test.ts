import { describe, expect, it } from '@jest/globals';

import { RejectReasons } from './reject-reasons.js';

describe('RejectReasons', () => {
  it('groups reasons that differ only in their values, and keeps a value that all share', () => {
    const reasons = new RejectReasons();
    for (const [line, text] of [
      [7, 'x'],
      [5, 'y'],
      [9, 'z'],
    ] as const)
      reasons.add({ field: 'amount', reason: `"${text}" is not a number such as 1234.50` }, line);
    for (const line of [3, 4])
      reasons.add({ field: 'stage', reason: 'there is no stage "Wonn"; the stages are: Won' }, line);
    reasons.add({ field: '', reason: 'has 2 cells where the header has 3 columns' }, 8);
    expect(reasons.list()).toEqual([
      { field: 'amount', reason: '"…" is not a number such as 1234.50', count: 3, firstLine: 5 },
      { field: 'stage', reason: 'there is no stage "Wonn"; the stages are: Won', count: 2, firstLine: 3 },
      { field: '', reason: 'has 2 cells where the header has 3 columns', count: 1, firstLine: 8 },
    ]);
  });

  it('counts every problem, including reasons beyond the limits', () => {
    const reasons = new RejectReasons(3);
    for (let index = 0; index < 10; index += 1) reasons.add({ field: `f${index % 5}`, reason: 'no' }, index);
    const counts = (most?: number): number[] => reasons.list(most).map(({ count }) => count);
    expect([counts(), counts(1)]).toEqual([
      [2, 2, 2, 4],
      [2, 8],
    ]);
    expect(reasons.list().at(-1)).toEqual({ field: '', reason: 'other reasons', count: 4, firstLine: null });
  });
});
