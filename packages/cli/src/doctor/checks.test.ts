import type { DistributionFacts, OverdueUpkeep, ServerFacts, WebhookState } from '@crm/db';
import { describe, expect, test } from '@jest/globals';
import { checkWebhooks } from './check-databases.js';
import { checkDistribution } from './check-distribution.js';
import { checkConnections, checkServer } from './check-server.js';
import { checkUpkeep } from './check-upkeep.js';

const healthy: ServerFacts = {
  versionNumber: 180_004,
  encoding: 'UTF8',
  isSuperuser: false,
  isInRecovery: false,
  isReadOnly: false,
  durability: { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' },
  connectionLimit: 97,
  extensions: ['plpgsql', 'pg_trgm', 'btree_gin'],
  clockMs: 1_000_000,
  replayLagMs: null,
};

describe('checkServer and checkConnections', () => {
  const statusesOf = (changes: Partial<ServerFacts>, askedAtMs = 1_000_000, answeredAtMs = 1_000_100) =>
    Object.fromEntries(
      checkServer({ ...healthy, ...changes }, askedAtMs, answeredAtMs)
        .filter(({ status }) => status !== 'ok')
        .map(({ check, status }) => [check, status]),
    );

  test.each<[string, Partial<ServerFacts>, Readonly<Record<string, string>>]>([
    ['nothing on a healthy server', {}, {}],
    ['an old version', { versionNumber: 140_012 }, { version: 'problem' }],
    ['an untested version', { versionNumber: 190_000 }, { version: 'warning' }],
    ['an encoding that cannot hold every name', { encoding: 'LATIN1' }, { encoding: 'problem' }],
    ['a missing extension', { extensions: ['pg_trgm'] }, { extensions: 'problem' }],
    ['a superuser', { isSuperuser: true }, { role: 'warning' }],
    ['fsync=off', { durability: { ...healthy.durability, fsync: 'off' } }, { durability: 'problem' }],
    ['a replica', { isInRecovery: true, isReadOnly: true }, { primary: 'problem' }],
    ['a server that takes no writes', { isReadOnly: true }, { writes: 'problem' }],
    ['a clock that is slow', { clockMs: 994_999 }, { clock: 'problem' }],
    ['a clock that is fast', { clockMs: 1_005_101 }, { clock: 'problem' }],
  ])('report %s', (_name, changes, found) => {
    expect(statusesOf(changes)).toEqual(found);
  });

  test('do not count a slow response as a clock difference', () => {
    expect(statusesOf({ clockMs: 1_030_000 }, 1_000_000, 1_060_000)).toEqual({});
  });

  test('count the connections of all processes', () => {
    expect(checkConnections(healthy, [10, 10], 4).status).toBe('ok');
    expect(checkConnections(healthy, [10, 10], 5).status).toBe('problem');
    expect(checkConnections(healthy, [40, undefined], 2).status).toBe('problem');
  });
});

describe('checkDistribution', () => {
  const settings = {
    ...healthy.durability,
    ...{ statement_timeout: '5000', lock_timeout: '3000', idle_in_transaction_session_timeout: '10000' },
  };
  const cluster: DistributionFacts = {
    citus: { version: '13.2.0', reusesPlans: true },
    apart: [],
    undelegated: [],
    isWriteDelegated: true,
    cachesPlans: true,
    workers: [{ name: 'worker-1:5432', settings }],
  };
  const replans = { version: '13.2.2', reusesPlans: false };
  const workersWith = (own: Readonly<Record<string, string>> | null) => ({
    workers: [{ name: 'worker-1:5432', settings: own }],
  });

  test('has no findings in a healthy cluster', () => {
    expect(checkDistribution(cluster).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok']);
  });

  test.each<[Partial<DistributionFacts>, string, string]>([
    [{ apart: ['notes'] }, 'problem', 'not colocated with accounts: notes'],
    [{ undelegated: ['write'] }, 'problem', 'these functions run on the coordinator: write'],
    [{ isWriteDelegated: false }, 'problem', 'these functions run on the coordinator: write'],
    [{ citus: replans, cachesPlans: false }, 'warning', 'Citus 13.2.2 plans the statements of a write at each call'],
    [{ cachesPlans: false }, 'warning', 'Citus 13.2.0 reuses plans, but the write functions do not allow it'],
    [{ citus: replans }, 'problem', 'sessions keep a new plan at each write, because Citus 13.2.2 does not reuse'],
    [workersWith(null), 'problem', 'the coordinator cannot query it'],
    [workersWith({ ...settings, fsync: 'off' }), 'problem', 'off: fsync'],
    [workersWith({ ...settings, lock_timeout: '0' }), 'problem', 'this role has no lock_timeout on this worker'],
  ])('reports %j', (facts, status, text) => {
    const message = expect.stringContaining(text) as unknown;
    const findings = checkDistribution({ ...cluster, ...facts }).filter((finding) => finding.status !== 'ok');
    expect(findings).toEqual([expect.objectContaining({ status, message, advice: expect.any(String) as unknown })]);
  });
});

describe('checkUpkeep', () => {
  const none: OverdueUpkeep = { expiredResults: 0, lacksPartition: false, expiredPartitions: 0, unfinishedRebuilds: 0 };

  test('has no finding if nothing is overdue', () => {
    expect(checkUpkeep(none)).toMatchObject({ check: 'upkeep', status: 'ok' });
  });

  test.each<[Partial<OverdueUpkeep>, string]>([
    [{ lacksPartition: true }, 'the change log has no partition for the next week'],
    [{ expiredPartitions: 2 }, '2 weeks of expired events are not deleted'],
    [{ expiredResults: 1 }, '1 organization with expired stored results'],
    [
      { unfinishedRebuilds: 1, lacksPartition: true },
      'next week, 1 rebuild of stored records has not ended for an hour',
    ],
  ])('warns of %j', (overdue, text) => {
    const message = expect.stringContaining(text) as unknown;
    const advice = expect.stringContaining('crm roles apply') as unknown;
    expect(checkUpkeep({ ...none, ...overdue })).toMatchObject({ status: 'warning', message, advice });
  });
});

describe('checkWebhooks', () => {
  const webhook: WebhookState = {
    ...{ organizationId: 'o', id: 'w', state: 'active', state_reason: null },
    ...{ is_failing: false, parked: 0, oldest_seconds: 59 },
  };
  test.each<[string, Partial<WebhookState>[], string | undefined]>([
    ['nothing without webhooks', [], undefined],
    ['no event that waits a moment', [{}], '1, no event waits long'],
    ['an old event', [{ oldest_seconds: 600 }], 'w has an event that was not delivered for 10 minutes'],
    ['no old event of a paused webhook', [{ state: 'paused', oldest_seconds: 600 }], '1, no event waits long'],
    ['a disabled webhook', [{ state: 'disabled', state_reason: 'answered 410' }], 'w is disabled: answered 410'],
  ])('reports %s', (_name, changes, message) => {
    expect(checkWebhooks(changes.map((change) => ({ ...webhook, ...change })))[0]?.message).toBe(message);
  });
});
