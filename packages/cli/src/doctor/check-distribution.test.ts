import type { DistributionFacts } from '@crm/db';
import { expect, test } from '@jest/globals';
import { checkDistribution } from './check-distribution.js';

const settings = {
  ...{ fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' },
  ...{ statement_timeout: '5000', lock_timeout: '3000', idle_in_transaction_session_timeout: '10000' },
};
const healthy: DistributionFacts = {
  citus: { version: '13.2.0', reusesPlans: true },
  apart: [],
  undelegated: [],
  isWriteDelegated: true,
  cachesPlans: true,
  workers: [{ name: 'worker-1:5432', settings }],
};

test('a healthy cluster has no findings', () => {
  expect(checkDistribution(healthy).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok']);
});

test.each<[string, Partial<DistributionFacts>, string, string]>([
  ['a table elsewhere', { apart: ['notes'] }, 'problem', 'not colocated with accounts: notes'],
  [
    'a function on the coordinator',
    { undelegated: ['write'] },
    'problem',
    'these functions run on the coordinator: write',
  ],
  [
    'a write on the coordinator',
    { isWriteDelegated: false },
    'problem',
    'these functions run on the coordinator: write',
  ],
  [
    'a version that does not reuse plans',
    { citus: { version: '13.2.2', reusesPlans: false }, cachesPlans: false },
    'warning',
    'Citus 13.2.2 plans the statements of a write at each call, so writes take longer',
  ],
  [
    'a version that keeps a new plan at each call',
    { citus: { version: '13.2.2', reusesPlans: false } },
    'problem',
    'sessions keep a new plan at each write, because Citus 13.2.2 does not reuse plans: their memory grows',
  ],
  [
    'a worker that cannot be queried',
    { workers: [{ name: 'worker-1:5432', settings: null }] },
    'problem',
    'the coordinator cannot query it',
  ],
  [
    'a worker without durability',
    { workers: [{ name: 'worker-1:5432', settings: { ...settings, fsync: 'off' } }] },
    'problem',
    'off: fsync',
  ],
  [
    'a role without a limit',
    { workers: [{ name: 'worker-1:5432', settings: { ...settings, lock_timeout: '0' } }] },
    'problem',
    'this role has no lock_timeout on this worker',
  ],
])('%s is reported', (_, facts, status, message) => {
  const findings = checkDistribution({ ...healthy, ...facts }).filter((finding) => finding.status !== 'ok');
  expect(findings).toEqual([expect.objectContaining({ status, message, advice: expect.any(String) as unknown })]);
});
