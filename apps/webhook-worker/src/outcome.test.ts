import { describe, expect, it } from '@jest/globals';
import { Outcome, withoutTexts } from './outcome.js';

const record = { object: 'account', record_id: 'a' };
const parking = { record, position: 7, attempts: 2, deferrals: 0, retryAtMs: 1_500, error: 'answered 500' };
const stored = { ...record, position: 5 };

type Situation = readonly [about: string, change: (outcome: Outcome) => void, parked: object[], delivered: object[]];

describe('Outcome', () => {
  it.each<Situation>([
    ['nothing', () => undefined, [], []],
    [
      'a record that failed again',
      (outcome) => outcome.park({ ...parking, hasFailed: true }),
      [{ ...record, position: 7, attempts: 2, was: 5, delay_ms: 500, has_failed: true }],
      [],
    ],
    [
      'a record after its last try',
      (outcome) => outcome.park({ ...parking, retryAtMs: null, hasFailed: true }),
      [{ position: 7, delay_ms: null }],
      [],
    ],
    [
      'a record whose try is overdue',
      (outcome) => outcome.advance(record, 8),
      [{ position: 8, was: 5, delay_ms: 0 }],
      [],
    ],
    [
      'a record with no event left',
      (outcome) => {
        outcome.advance(record, 8);
        outcome.unpark(record);
      },
      [],
      [{ ...record, was: 5 }],
    ],
    [
      'a record that was parked again after its last event',
      (outcome) => {
        outcome.unpark(record);
        outcome.park({ ...parking, hasFailed: true });
      },
      [{ position: 7, was: 5 }],
      [],
    ],
    [
      'a record that a save has stored meanwhile',
      (outcome) => {
        outcome.advance(record, 6);
        outcome.take(0);
        outcome.advance(record, 8);
      },
      [{ position: 8, was: 6 }],
      [],
    ],
    [
      'a new record',
      (outcome) => outcome.park({ ...parking, record: { object: 'account', record_id: 'b' }, hasFailed: false }),
      [{ record_id: 'b', was: null, has_failed: false }],
      [],
    ],
  ])('stores %s', (_about, change, parked, delivered) => {
    const outcome = new Outcome([stored]);
    change(outcome);
    const taken = outcome.take(1_000);
    expect(taken).toMatchObject({ parked, delivered });
    expect(outcome.isEmpty).toBe(true);
  });

  it('logs deliveries by range, and expired events with their range', () => {
    const outcome = new Outcome([]);
    outcome.logDelivered({ first: 3, last: 9, events: 5 }, 1);
    outcome.logExpired(10, { expired: 4 }, null);
    outcome.logExpired(20, { expired: 2 }, record);
    outcome.logExpired(30, { expired: 0 }, null);
    expect(outcome.take(0).attempts).toMatchObject([
      { outcome: 'delivered', first_position: 3, last_position: 9, events: 5 },
      { outcome: 'expired', first_position: 11, last_position: 14, events: 4 },
      { outcome: 'expired', first_position: 21, last_position: 22, events: 1, record_id: 'a' },
    ]);
  });

  it('drops the texts from outside', () => {
    const outcome = new Outcome([]);
    outcome.park({ ...parking, error: 'a\0b', hasFailed: true });
    outcome.logTest('failed', {
      ...{ isDelivered: false, status: 500, error: 'a\0b', response: 'a\0b', durationMs: 1, retryAfterMs: null },
    });
    const result = {
      ...{
        updated_at: '',
        position_before: 0,
        position: 0,
        replay_position: null,
        is_test_done: true,
        failures: 0,
        is_failing: false,
      },
      ...{ has_failed: true, probe_ms: null, wait_ms: null, pace: null, disabled_because: null, is_released: true },
      ...outcome.take(0),
    };
    expect(JSON.stringify(withoutTexts(result))).not.toContain('\\u0000');
    expect(withoutTexts(result)).toMatchObject({ parked: [{ position: 7, attempts: 2 }], attempts: [{ status: 500 }] });
  });
});
