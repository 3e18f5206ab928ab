import { describe, expect, it } from '@jest/globals';
import { judgeServer } from './judge-server.js';
import type { StartUpFacts } from './read-facts.js';

const installed = (...digests: readonly string[]) => digests.map((digest) => ({ digest, release: '1.9.0' }));

const good: StartUpFacts = {
  versionNumber: 150_004,
  version: '15.4',
  fsync: 'on',
  synchronousCommit: 'on',
  isSuperuser: false,
  isDistributed: false,
  appliedMigrations: ['1_tables', '2_indexes'],
  installedFunctions: installed('old', 'current'),
  requirements: [],
  role: 'crm_inbound',
  missingLimits: [],
  missingRights: [],
  losesPreparedStatements: false,
};
const rules = { needsDurability: true, migrations: ['1_tables', '2_indexes'], functions: 'current', release: '1.9.0' };
const judge = (facts: Partial<StartUpFacts>, changed = {}) =>
  judgeServer({ ...good, ...facts }, { ...rules, ...changed });

describe('judgeServer', () => {
  it('accepts a good server', () => {
    expect(judge({})).toEqual({ refusal: null, waitingFor: null, warnings: [] });
    expect(judge({ synchronousCommit: 'remote_apply' }).refusal).toBeNull();
  });

  it.each([
    [{ fsync: 'off' }, /^The database runs with fsync off.*ALLOW_UNSAFE_DURABILITY=1/],
    [{ synchronousCommit: 'off' }, /synchronous_commit off/],
    [{ fsync: 'off', synchronousCommit: 'off' }, /fsync and synchronous_commit off/],
  ])('refuses a server that may lose writes: %j', (facts, text) => {
    expect(judge(facts).refusal).toMatch(text);
    expect(judge(facts, { needsDurability: false }).refusal).toBeNull();
  });

  it('refuses a replica of a database that Citus distributes', () => {
    expect(judge({ isDistributed: true }, { hasReplica: true }).refusal).toMatch(
      /^READ_DATABASE_URL does not work with Citus/,
    );
    expect(judge({ isDistributed: true }).refusal).toBeNull();
    expect(judge({}, { hasReplica: true }).refusal).toBeNull();
  });

  it('refuses versions before 15, even without the need for durability', () => {
    expect(judge({ versionNumber: 140_011, version: '14.11' }, { needsDurability: false }).refusal).toMatch(
      /14\.11 is too old/,
    );
    expect(judge({ versionNumber: 150_000, version: '15.0' }).refusal).toBeNull();
  });

  it('refuses a pooler that loses time limits or prepared statements', () => {
    expect(judge({ missingLimits: ['statement_timeout'] }).refusal).toMatch(
      /role crm_inbound has no statement_timeout: run crm roles apply, then RECONNECT/,
    );
    expect(judge({ losesPreparedStatements: true }).refusal).toMatch(/use PgBouncer 1\.21 or later/);
  });

  it('waits for missing rights before it checks anything that needs them', () => {
    expect(judge({ missingRights: ['SELECT on notes'], appliedMigrations: [] }).waitingFor).toMatch(
      /crm_inbound lacks rights \(SELECT on notes\): run crm roles apply$/,
    );
  });

  it('names missing migrations', () => {
    expect(judge({ appliedMigrations: ['1_tables'] }).waitingFor).toMatch(/lacks 1 .*\(2_indexes\): run crm migrate/);
    expect(judge({ appliedMigrations: [] }).waitingFor).toMatch(/1_tables, 2_indexes/);
  });

  it('accepts newer migrations, except those that need a newer version', () => {
    const appliedMigrations = [...good.appliedMigrations, '3_new', '4_drop'];
    expect(judge({ appliedMigrations }).waitingFor).toBeNull();
    const needing = (needs: string) => judge({ appliedMigrations, requirements: [{ migration: '4_drop', needs }] });
    expect(needing('3_new').waitingFor).toMatch(/too old for the database: 4_drop needs a version with 3_new/);
    expect(needing('2_indexes').waitingFor).toBeNull();
  });

  it('waits for its write functions, and accepts a database in which they were installed once', () => {
    expect(judge({ installedFunctions: installed('old') }).waitingFor).toMatch(/write functions: run crm migrate/);
    expect(judge({ installedFunctions: installed('current', 'newer') }).waitingFor).toBeNull();
  });

  it('accepts the write functions of a newer version', () => {
    const appliedMigrations = [...good.appliedMigrations, '3_new'];
    expect(judge({ appliedMigrations, installedFunctions: installed('newer') }).waitingFor).toBeNull();
    const later = [{ digest: 'newer', release: '1.10.0' }];
    expect(judge({ installedFunctions: later }).waitingFor).toBeNull();
    expect(judge({ appliedMigrations, installedFunctions: [] }).waitingFor).toMatch(/write functions/);
  });

  it('warns about a superuser', () => {
    expect(judge({ isSuperuser: true })).toMatchObject({
      refusal: null,
      waitingFor: null,
      warnings: [expect.stringMatching(/superuser/)],
    });
  });
});
