/** What a gateway asks its server before it serves. */
export interface ServerFacts {
  /** As `150004` for 15.4. */
  readonly versionNumber: number;
  readonly version: string;
  readonly fsync: string;
  /** As it holds for the gateway's own role. */
  readonly synchronousCommit: string;
  readonly isSuperuser: boolean;
  /** Migrations that were applied in full. */
  readonly appliedMigrations: readonly string[];
  /** Digests of the write functions that were ever installed. */
  readonly installedFunctions: readonly string[];
}

/** What this gateway needs. */
export interface ServerRules {
  /** Whether an answered write must survive the loss of power. */
  readonly needsDurability: boolean;
  /** The migrations of this version, in order. */
  readonly migrations: readonly string[];
  /** Digest of this version's write functions. */
  readonly functions: string;
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
  const missing = rules.migrations.filter((name) => !facts.appliedMigrations.includes(name));
  if (missing.length > 0) {
    return `The database lacks ${missing.length} of this version's migrations (${missing.join(', ')}): run crm migrate`;
  }
  if (!facts.installedFunctions.includes(rules.functions)) {
    return "The database lacks this version's write functions: run crm migrate";
  }
  const unknown = facts.appliedMigrations.filter((name) => !rules.migrations.includes(name));
  if (unknown.length === 0) return null;
  return (
    `The database has migrations that this version does not know (${unknown.join(', ')}): ` +
    `run crm migrate and the gateways of one version, the newer one`
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
