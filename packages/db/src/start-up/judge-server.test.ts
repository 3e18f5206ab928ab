import { describe, expect, it } from '@jest/globals';
import { judgeServer } from './judge-server.js';
import type { StartUpFacts } from './read-facts.js';

const installed = (...digests: readonly string[]) => digests.map((digest) => ({ digest, release: '1.9.0' }));

const good: StartUpFacts = {
  ...{
    versionNumber: 150_004,
    version: '15.4',
    fsync: 'on',
    synchronousCommit: 'on',
    isSuperuser: false,
    encoding: 'UTF8',
  },
  ...{ isDistributed: false, appliedMigrations: ['1_tables', '2_indexes'], role: 'crm_inbound' },
  ...{ installedFunctions: installed('old', 'current'), requirements: [], missingLimits: [], missingRights: [] },
  ...{ losesPreparedStatements: false, isolation: 'read committed', isInRecovery: false, isReadOnly: false },
};
const standby = { isInRecovery: true, isReadOnly: true };
const rules = {
  needsWrites: true,
  needsDurability: true,
  migrations: ['1_tables', '2_indexes'],
  functions: 'current',
  release: '1.9.0',
};
const judge = (facts: Partial<StartUpFacts>, changed = {}) =>
  judgeServer({ ...good, ...facts }, { ...rules, ...changed });

type Case = readonly [about: string, ...facts: Parameters<typeof judge>];

const newer = [...good.appliedMigrations, '3_new', '4_drop'];
const needing = (needs: string) => ({ appliedMigrations: newer, requirements: [{ migration: '4_drop', needs }] });

describe('judgeServer', () => {
  it.each<Case>([
    ['a good server', {}],
    ['a stronger durability', { synchronousCommit: 'remote_apply' }],
    ['fsync off, if it needs no durability', { fsync: 'off' }, { needsDurability: false }],
    ['a distributed database', { isDistributed: true }],
    ['a replica', {}, { hasReplica: true }],
    ['a standby, if it writes nothing', standby, { needsWrites: false }],
    ['the oldest version', { versionNumber: 150_000, version: '15.0' }],
    ['newer migrations', { appliedMigrations: newer }],
    ['newer migrations that need a version with an older one', needing('2_indexes')],
    ['write functions of which its own were installed once', { installedFunctions: installed('current', 'newer') }],
    ['write functions of newer migrations', { appliedMigrations: newer, installedFunctions: installed('newer') }],
    ['write functions of a later release', { installedFunctions: [{ digest: 'newer', release: '1.10.0' }] }],
  ])('accepts %s', (_about, ...facts) => {
    expect(judge(...facts)).toEqual({ refusal: null, waitingFor: null, warnings: [] });
  });

  it.each<readonly [RegExp, ...Parameters<typeof judge>]>([
    [/^The database runs with fsync off.*ALLOW_UNSAFE_DURABILITY=1/, { fsync: 'off' }],
    [/synchronous_commit off/, { synchronousCommit: 'off' }],
    [/fsync and synchronous_commit off/, { fsync: 'off', synchronousCommit: 'off' }],
    [/^READ_DATABASE_URL does not work with Citus/, { isDistributed: true }, { hasReplica: true }],
    [/encoding SQL_ASCII.*ENCODING 'UTF8'/, { encoding: 'SQL_ASCII' }, { needsDurability: false }],
    [/encoding LATIN1/, { encoding: 'LATIN1' }],
    [/14\.11 is too old/, { versionNumber: 140_011, version: '14.11' }, { needsDurability: false }],
    [
      /role crm_inbound has no statement_timeout: run crm roles apply, then RECONNECT/,
      { missingLimits: ['statement_timeout'] },
    ],
    [
      /role crm_inbound are serializable, not read committed: run crm roles apply, then RECONNECT/,
      { isolation: 'serializable' },
    ],
    [/use PgBouncer 1\.21 or later/, { losesPreparedStatements: true }],
  ])('refuses a server with the reason %s', (text, ...facts) => {
    expect(judge(...facts).refusal).toMatch(text);
  });

  it.each<readonly [RegExp, Partial<StartUpFacts>]>([
    [/is a standby, which takes no writes: DATABASE_URL must lead to the primary/, standby],
    [/takes no writes: turn default_transaction_read_only off/, { isReadOnly: true }],
    // Missing rights come first, because the other checks need them.
    [
      /crm_inbound lacks rights \(SELECT on notes\): run crm roles apply$/,
      { missingRights: ['SELECT on notes'], appliedMigrations: [] },
    ],
    [/lacks 1 .*\(2_indexes\): run crm migrate/, { appliedMigrations: ['1_tables'] }],
    [/1_tables, 2_indexes/, { appliedMigrations: [] }],
    [/too old for the database: 4_drop needs a version with 3_new/, needing('3_new')],
    [/write functions: run crm migrate/, { installedFunctions: installed('old') }],
    [/write functions/, { appliedMigrations: newer, installedFunctions: [] }],
  ])('waits for %s', (text, facts) => {
    expect(judge(facts).waitingFor).toMatch(text);
  });

  it('warns about a superuser', () => {
    const warnings = [expect.stringMatching(/superuser/)];
    expect(judge({ isSuperuser: true })).toEqual({ refusal: null, waitingFor: null, warnings });
  });
});
