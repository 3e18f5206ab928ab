import { isolationLevel, jit, parallelWorkers, readPlanMode, sessionLimitsMs } from '../session-limits.js';
import { functionsOf, type GatewayKind, gatewayKinds, type Right, rightsOf } from './rights.js';

/** The names of the gateways' roles. */
export type RoleNames = Readonly<Record<GatewayKind, string>>;

const namePattern = /^[a-z_][a-z0-9_]{0,62}$/;

/** A DO block that runs a statement such as `GRANT … ON DATABASE %I`, with the name of the current database for `%I`. */
const withDatabase = (statement: string): string =>
  `DO $$ BEGIN EXECUTE format('${statement.replaceAll("'", "''")}', current_database()); END $$;`;

const createRole = (role: string): string => `DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE ${role} LOGIN; END IF;
END $$;`;

const grant = (role: string, { table, privilege, column }: Right): string =>
  `GRANT ${privilege}${column === undefined ? '' : ` (${column})`} ON ${table} TO ${role};`;

/** The session settings of a role. The role needs them because a gateway sends none through PgBouncer in transaction mode. */
const settings = (role: string): string[] =>
  [
    ...Object.entries(sessionLimitsMs).map(([name, ms]) => `${name} = '${ms}ms'`),
    `max_parallel_workers_per_gather = ${parallelWorkers}`,
    `jit = ${jit}`,
    `default_transaction_isolation = '${isolationLevel}'`,
  ].map((setting) => withDatabase(`ALTER ROLE ${role} IN DATABASE %I SET ${setting}`));

const planMode = (role: string): string =>
  `DO $$ BEGIN EXECUTE format('ALTER ROLE ${role} IN DATABASE %I SET plan_cache_mode = %L', current_database(), ${readPlanMode}); END $$;`;

const roleStatements = (role: string, gateway: GatewayKind): string[] => [
  createRole(role),
  withDatabase(`GRANT CONNECT ON DATABASE %I TO ${role}`),
  `GRANT USAGE ON SCHEMA public TO ${role};`,
  // Removes all earlier grants of older versions or administrators, including those on columns.
  `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role};`,
  ...rightsOf(gateway).map((right) => grant(role, right)),
  ...functionsOf(gateway).map((name) => `GRANT EXECUTE ON FUNCTION ${name} TO ${role};`),
  ...settings(role),
  ...(gateway === 'read' ? [planMode(role)] : []),
];

/** Revokes rights that every role has by default. Only a superuser can revoke those on system functions. */
const revokeFromEveryone = [
  'REVOKE CREATE ON SCHEMA public FROM PUBLIC;',
  withDatabase('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC'),
  `DO $$ DECLARE v_function regprocedure; BEGIN
  FOR v_function IN SELECT oid FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
     AND (proname LIKE 'lo\\_%' OR proname IN ('loread', 'lowrite')) AND has_function_privilege('public', oid, 'EXECUTE') LOOP
    IF current_setting('is_superuser') = 'off' THEN
      RAISE WARNING 'every role can create large objects: let a superuser run crm roles apply once';
      EXIT;
    END IF;
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', v_function);
  END LOOP;
END $$;`,
];

/**
 * The statements that create or update the roles of the gateways: their rights and the time limits of their sessions. They can run any
 * number of times. They do not change passwords.
 *
 * @throws RangeError for a name with characters other than lower-case letters, digits and underscores
 */
export const roleSql = (names: RoleNames): string[] => {
  for (const name of Object.values(names)) {
    if (!namePattern.test(name))
      throw new RangeError(`${name} is not a role name: use lower-case letters, digits and _`);
  }
  return [...revokeFromEveryone, ...gatewayKinds.flatMap((kind) => roleStatements(names[kind], kind))];
};
