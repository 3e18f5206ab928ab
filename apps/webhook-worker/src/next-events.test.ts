import { describe, expect, it } from '@jest/globals';
import { NextEvents } from './next-events.js';

const record = { object: 'account', record_id: 'a' };
const event = (position: number, isParked = false, recordId = 'a') => ({
  ...{ id: 'e', position, type: 'account.updated', object: 'account', recordId, version: 1, occurredAt: '' },
  ...{ traceparent: null, changed: [], mergedInto: null, mergedFrom: null, isParked, json: Buffer.from('{}') },
});

type Situation = readonly [
  about: string,
  prepare: (next: NextEvents) => unknown,
  found: ReturnType<typeof event>,
  isNext: boolean,
];

describe('NextEvents', () => {
  it.each<Situation>([
    ['a new event', () => undefined, event(12), true],
    ['an event of a record that is parked in the database', () => undefined, event(12, true), false],
    ['a later event of a record that was parked in this round', (next) => next.park(record, 11), event(12), false],
    ['the event at which a record was parked', (next) => next.park(record, 12), event(12), false],
    ['an earlier event, in a replay', (next) => next.park(record, 15), event(12), true],
    ['an event of another record', (next) => next.park(record, 11), event(12, false, 'b'), true],
    [
      'an event of a record whose retries have ended',
      (next) => {
        next.park(record, 5);
        next.unpark(record, 10);
      },
      event(12, true),
      true,
    ],
    [
      'an event of a record that was parked again',
      (next) => {
        next.park(record, 5);
        next.unpark(record, 10);
        next.park(record, 11);
      },
      event(12, true),
      false,
    ],
    ['an event that a retry has delivered, in a replay', (next) => next.retried(8), event(8), false],
  ])('decides about %s', (_about, prepare, found, isNext) => {
    const next = new NextEvents(10);
    prepare(next);
    expect(next.isNext(found)).toBe(isNext);
  });

  it('keeps a record parked while the log has events of it that its retries have not read', () => {
    const next = new NextEvents(10);
    next.park(record, 5);
    next.decide(14);
    expect([next.unpark(record, 10), next.isNext(event(15))]).toEqual([false, false]);
    expect([next.unpark(record, 14), next.isNext(event(15))]).toEqual([true, true]);
  });

  it('does not go back', () => {
    const next = new NextEvents(10);
    next.decide(7);
    expect(next.decided).toBe(10);
  });
});
