import { encodingProblem } from '../schema-history/database-encoding.js';
import { compareSchema, describeUnmet, type SchemaVersion } from '../schema-history/schema-history.js';
import { isolationLevel } from '../session-limits.js';
import type { SessionFacts, StartUpFacts, WriteFacts } from './read-facts.js';

/** The requirements of this gateway. */
export interface ServerRules extends SchemaVersion {
  /** Whether the process writes records or claims. */
  readonly needsWrites: boolean;
  /** Whether an acknowledged write must survive a power failure. */
  readonly needsDurability: boolean;
  /** Whether reads go to a replica. By default false. */
  readonly hasReplica?: boolean;
}

/** The decision about a server. */
export interface Judgement {
  /** Why the gateway must not serve, if waiting does not help. */
  readonly refusal: string | null;
  /** Why the gateway must wait, and what has to happen first. */
  readonly waitingFor: string | null;
  readonly warnings: readonly string[];
}

const oldestVersionNumber = 150_000;

const findLostDurability = (facts: StartUpFacts): string | null => {
  const off = [
    ...(facts.fsync === 'off' ? ['fsync'] : []),
    ...(facts.synchronousCommit === 'off' ? ['synchronous_commit'] : []),
  ];
  if (off.length === 0) return null;
  return (
    `The database runs with ${off.join(' and ')} off: acknowledged writes could be lost. ` +
    `Turn ${off.join(' and ')} on (ALTER SYSTEM, or ALTER ROLE for synchronous_commit), then start the gateway again. ` +
    `If losing writes is acceptable, for example in tests, set ALLOW_UNSAFE_DURABILITY=1`
  );
};

const settingsAdvice = "run crm roles apply, then RECONNECT in PgBouncer's console, then start the gateway again";

/** The faults of a pooler: missing settings and lost prepared statements. Without a pooler, a gateway sends its settings itself. */
export const findPoolerFaults = ({ role, missingLimits, isolation, losesPreparedStatements }: SessionFacts) => ({
  limits:
    missingLimits.length === 0
      ? null
      : {
          message: `With pgbouncer=true no time limits are sent, and the role ${role} has no ${missingLimits.join(', ')}`,
          advice: settingsAdvice,
        },
  isolation:
    isolation === isolationLevel
      ? null
      : {
          message: `With pgbouncer=true no isolation level is sent, and transactions of the role ${role} are ${isolation}, not ${isolationLevel}`,
          advice: settingsAdvice,
        },
  statements: losesPreparedStatements
    ? {
        message: 'The pooler in front of the database loses prepared statements',
        advice: 'use PgBouncer 1.21 or later with max_prepared_statements above 0, or pool_mode = session',
      }
    : null,
});

const findRefusal = (facts: StartUpFacts, rules: ServerRules): string | null => {
  if (facts.versionNumber < oldestVersionNumber) {
    return `PostgreSQL ${facts.version} is too old: version 15 or later is needed`;
  }
  const otherEncoding = encodingProblem(facts.encoding);
  if (otherEncoding !== null) return otherEncoding;
  if (facts.isDistributed && rules.hasReplica === true) {
    return (
      'READ_DATABASE_URL does not work with Citus: X-Read-After carries a position of the worker that wrote, which means nothing on ' +
      'a replica of the coordinator. Unset it'
    );
  }
  const lostDurability = rules.needsDurability ? findLostDurability(facts) : null;
  if (lostDurability !== null) return lostDurability;
  const { limits, isolation, statements } = findPoolerFaults(facts);
  const fault = statements ?? limits ?? isolation;
  return fault === null ? null : `${fault.message}: ${fault.advice}`;
};

/** Why nothing can be written on a server; null if writes work. */
export const writeProblemOf = ({ isInRecovery, isReadOnly }: WriteFacts): string | null => {
  if (isInRecovery) return 'The database is a standby, which takes no writes: DATABASE_URL must lead to the primary';
  return isReadOnly
    ? 'The database takes no writes: turn default_transaction_read_only off for the server, the database and the role'
    : null;
};

const findWait = (facts: StartUpFacts, rules: ServerRules): string | null => {
  const writeProblem = rules.needsWrites ? writeProblemOf(facts) : null;
  if (writeProblem !== null) return writeProblem;
  if (facts.missingRights.length > 0) {
    return `The role ${facts.role} lacks rights (${facts.missingRights.join(', ')}): run crm roles apply`;
  }
  const { missing, lacksFunctions, unmet } = compareSchema(facts, rules);
  if (missing.length > 0) {
    return `The database lacks ${missing.length} of this version's migrations (${missing.join(', ')}): run crm migrate`;
  }
  if (lacksFunctions) return "The database lacks this version's write functions: run crm migrate";
  if (unmet.length === 0) return null;
  return (
    `This gateway is too old for the database: ${describeUnmet(unmet)}. ` +
    `Start a gateway of a newer version; to return to this version, restore a backup`
  );
};

/** Decides whether a gateway can serve from a server. A pure function. */
export const judgeServer = (facts: StartUpFacts, rules: ServerRules): Judgement => ({
  refusal: findRefusal(facts, rules),
  waitingFor: findWait(facts, rules),
  warnings: facts.isSuperuser
    ? ['The gateway is connected as a superuser: give it a role with fewer rights (see docs/operating.md, Roles)']
    : [],
});
