import {
  compareSchema,
  describeUnmet,
  type SchemaHistory,
  type SchemaVersion,
} from '../schema-history/schema-history.js';

/** What a gateway asks its server before it serves. */
export interface ServerFacts extends SchemaHistory {
  /** As `150004` for 15.4. */
  readonly versionNumber: number;
  readonly version: string;
  readonly fsync: string;
  /** As it holds for the gateway's own role. */
  readonly synchronousCommit: string;
  readonly isSuperuser: boolean;
}

/** What this gateway needs. */
export interface ServerRules extends SchemaVersion {
  /** Whether an answered write must survive the loss of power. */
  readonly needsDurability: boolean;
}

/** What is to be done about a server. */
export interface Judgement {
  /** Serving would break a promise, and waiting mends nothing. */
  readonly refusal: string | null;
  /** What has to happen before this gateway can serve. */
  readonly waitingFor: string | null;
  readonly warnings: readonly string[];
}

const oldestVersionNumber = 150_000;

const findRefusal = (facts: ServerFacts, rules: ServerRules): string | null => {
  if (facts.versionNumber < oldestVersionNumber) {
    return `PostgreSQL ${facts.version} is too old: version 15 or later is needed`;
  }
  if (!rules.needsDurability) return null;
  const off = [
    ...(facts.fsync === 'off' ? ['fsync'] : []),
    ...(facts.synchronousCommit === 'off' ? ['synchronous_commit'] : []),
  ];
  if (off.length === 0) return null;
  return (
    `The database runs with ${off.join(' and ')} off: writes that were answered could be lost. ` +
    `Turn ${off.join(' and ')} on (ALTER SYSTEM, or ALTER ROLE for synchronous_commit), then start the gateway again. ` +
    `Where losing writes is fine, as in tests, set ALLOW_UNSAFE_DURABILITY=1`
  );
};

const findWait = (facts: ServerFacts, rules: ServerRules): string | null => {
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

/** Judges a server; pure. */
export const judgeServer = (facts: ServerFacts, rules: ServerRules): Judgement => ({
  refusal: findRefusal(facts, rules),
  waitingFor: findWait(facts, rules),
  warnings: facts.isSuperuser
    ? ['The gateway works as a superuser of the database: give it a role with less (see docs/operating.md, Roles)']
    : [],
});
