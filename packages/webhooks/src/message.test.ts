import { expect, it } from '@jest/globals';
import { eventMessage } from './message.js';

const event = {
  id: 'event',
  position: 7,
  object: 'account',
  recordId: 'record',
  version: 2,
  occurredAt: '2026-03-02T09:30:00.000Z',
  changed: ['name'],
  mergedInto: 'kept',
  mergedFrom: null,
};
const values = { name: 'canary' };

it.each(['created', 'updated', 'deleted', 'merged', 'restored'])(
  'a thin message of a %s event has no values',
  (kind) => {
    const type = `account.${kind}`;
    const json = Buffer.from(JSON.stringify({ ...event, record: values, previous: values }));
    const full = eventMessage({ ...event, type, json }, 'full', 'log').body.toString();
    const thin = eventMessage({ ...event, type, json }, 'thin', 'log').body.toString();
    expect([full.includes('canary'), thin.includes('canary')]).toEqual([true, false]);
    const { occurredAt, recordId, mergedInto, mergedFrom, ...keys } = event;
    const merge = { merged_into: mergedInto, merged_from: mergedFrom };
    const data = { ...keys, ...merge, log_id: 'log', type, record_id: recordId, occurred_at: occurredAt };
    expect(JSON.parse(thin)).toEqual({ type, timestamp: occurredAt, log_id: 'log', data });
  },
);
