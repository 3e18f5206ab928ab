import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';

import type { Administration, AdministrationDatabase, AuditOrigin, OrganizationSetup } from '@crm/db';
import { comparableName, databaseUrlProblem, Failure, isFailure } from '@crm/domain';
import { type Command, InvalidArgumentError, Option } from 'commander';

import type { CliContext } from '../cli-context.js';
import { commandsOn } from '../command.js';
import { CliError, configurationError, errorCode, errorText, usageError } from '../errors.js';
import { dataDirectory, demoFilePath, readDemoFile } from '../local-stack/demo-file.js';
import { withJson, type OutputOptions } from '../options.js';

/** Options of every command that connects to the database. */
export interface AdministrationOptions extends OutputOptions {
  readonly databaseUrl?: string;
  readonly actor?: string;
}

/** Options of every such command for one organization. */
export interface OrganizationOptions extends AdministrationOptions {
  readonly org?: string;
}

/** The pattern of ids. */
export const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads an option that is an id. */
export const uuid = (text: string): string => {
  if (uuidPattern.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('Must be an id such as 01890000-0000-7000-8000-000000000001.');
};

/** Adds `--database-url`, `--actor` and `--json`. */
export const withAdministrationOptions = (command: Command): Command =>
  withJson(
    command
      .option('--database-url <url>', 'PostgreSQL address (default: DATABASE_URL, or the local stack)')
      .option('--actor <name>', 'who runs the command, for crm audit (default: CRM_ACTOR, or your user name)'),
  );

/** Adds `--org` and the options of {@link withAdministrationOptions}. */
export const withOrganizationOptions = (command: Command): Command =>
  withAdministrationOptions(
    command.addOption(
      new Option('--org <name or id>', 'the organization; may be left out if the database has only one').env('CRM_ORG'),
    ),
  );

/**
 * Finds the database: `--database-url`, else `DATABASE_URL`, else that of the local stack. The use of the local stack
 * is reported on stderr, because the user did not ask for it.
 *
 * @throws CliError (78) if there is none, or it is not a PostgreSQL address.
 */
export const findDatabaseUrl = async (context: CliContext, option: AdministrationOptions): Promise<string> => {
  const named = option.databaseUrl ?? context.env['DATABASE_URL'] ?? '';
  if (named !== '') {
    const problem = databaseUrlProblem(named);
    if (problem === null) return named;
    // The address is not printed, because it may contain a password.
    throw configurationError(`--database-url (or DATABASE_URL) ${problem}.`);
  }
  const directory = dataDirectory(context.env);
  const demo = await readDemoFile(directory);
  if (demo === undefined) {
    throw configurationError(
      'No database is given. Give --database-url postgres://user:password@host:5432/name, set DATABASE_URL, or start the local stack: crm start',
    );
  }
  context.stderr.write(`Using the database of the local stack (from ${demoFilePath(directory)}).\n`);
  return demo.database_url;
};

/** The address without user and password, for messages. */
export const shownDatabase = (url: string): string => {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
};

/** The operating system user. Null for a user id without an account, which is common in containers. */
const osUserName = (): string | null => {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
};

/**
 * Who runs this command: `--actor`, else `CRM_ACTOR`, else the operating system user. The operating system user is
 * always recorded too.
 */
const auditOrigin = (context: CliContext, { actor }: AdministrationOptions): AuditOrigin => {
  const osUser = osUserName();
  const named = [actor, context.env['CRM_ACTOR']].find((name) => name !== undefined && name.trim() !== '');
  return { actor: named?.trim() ?? osUser ?? 'unknown', osUser, commandId: randomUUID() };
};

/** The database functions that an administrative command uses. */
export interface AdministrationSession {
  readonly database: AdministrationDatabase;
  readonly url: string;
  readonly origin: AuditOrigin;
  readonly administration: Administration;
  /**
   * Finds an organization by name or id. Without either, the only one of the database.
   * @throws CliError if there is none, or the name fits several
   */
  readonly organization: (nameOrId: string | undefined) => Promise<{ readonly id: string; readonly name: string }>;
  /** Loads the setup of an organization. */
  readonly setup: (organizationId: string) => Promise<OrganizationSetup>;
}

const findOrganization = async (admin: Administration, wanted: string | undefined) => {
  const all = await admin.listOrganizations();
  const comparable = comparableName(wanted ?? '');
  const byId = all.filter(({ id }) => id === wanted?.toLowerCase());
  const byName = all.filter(({ name }) => wanted === undefined || comparableName(name) === comparable);
  const found = byId.length > 0 ? byId : byName;
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  if (first === undefined) {
    throw wanted === undefined
      ? new CliError('There is no organization yet. Create one: crm org create NAME')
      : new CliError(`There is no organization ${wanted}. See: crm org list`);
  }
  const shown = found.slice(0, 5).map(({ id, name }) => `${name} ${id}`);
  throw wanted === undefined
    ? usageError(`The database has ${found.length} organizations. Give --org (or CRM_ORG): ${shown.join(', ')}`)
    : usageError(`${found.length} organizations have the name ${wanted}. Give the id: ${shown.join(', ')}`);
};

/**
 * Opens the database, checks that it is migrated to this version, runs `work` and closes the database.
 *
 * @throws CliError that says what to do, if the database is unreachable or not migrated, or `work` fails.
 */
export const withAdministration = async <T>(
  context: CliContext,
  option: AdministrationOptions,
  work: (session: AdministrationSession) => Promise<T>,
): Promise<T> => {
  const url = await findDatabaseUrl(context, option);
  const { administration, describeUnmet, inspectSchema, loadSetup, openAdministrationDatabase } =
    await import('@crm/db');
  const database = openAdministrationDatabase({ url, applicationName: 'crm-cli', maxConnections: 2 });
  const origin = auditOrigin(context, option);
  const admin = administration(database, origin);
  try {
    const { pending, unmet } = await inspectSchema(database);
    const problem =
      unmet.length > 0
        ? `needs a newer version of crm: ${describeUnmet(unmet)}`
        : 'has not been migrated to this version. Run: crm migrate';
    if (unmet.length + pending.length > 0) throw configurationError(`The database ${shownDatabase(url)} ${problem}`);
    return await work({
      database,
      url,
      origin,
      administration: admin,
      organization: (nameOrId) => findOrganization(admin, nameOrId),
      setup: (organizationId) => loadSetup(database, organizationId),
    });
  } catch (error) {
    throw await databaseError(error, url);
  } finally {
    await database.close();
  }
};

/** Converts an error of the database layer into a CliError. Returns a CliError unchanged. */
export const databaseError = async (error: unknown, url: string): Promise<CliError> => {
  const { isConnectionError } = await import('@crm/db');
  if (error instanceof CliError) return error;
  const isAway = isFailure(error, 'unavailable') || isFailure(error, 'timeout');
  if (error instanceof Failure && !isAway) return new CliError(error.message);
  const text = errorText(error instanceof Failure ? (error.cause ?? error) : error);
  const isOutOfReach = isAway || isConnectionError(error) || /^(08|28|3D)/.test(errorCode(error) ?? '');
  const advice = isOutOfReach ? ' Check that it is running, and that the address and the password are correct.' : '';
  return new CliError(`The database ${shownDatabase(url)} cannot be used: ${text}.${advice}`, 1, { cause: error });
};

const onDatabase = async <T>(
  context: CliContext,
  options: AdministrationOptions,
  work: (database: { readonly url: string }) => Promise<T>,
): Promise<T> => {
  const url = await findDatabaseUrl(context, options);
  try {
    return await work({ url });
  } catch (error) {
    throw await databaseError(error, url);
  }
};

/** Makes a command on the database of `--database-url`, without checking its migrations. */
export const databaseCommand = commandsOn<AdministrationOptions, { readonly url: string }>(
  withAdministrationOptions,
  onDatabase,
);
/** Makes a command on the database of `--database-url`, which must be migrated. */
export const administrationCommand = commandsOn<AdministrationOptions, AdministrationSession>(
  withAdministrationOptions,
  withAdministration,
);
/** Makes a command on the organization of `--org` in such a database. */
export const organizationCommand = commandsOn<OrganizationOptions, AdministrationSession>(
  withOrganizationOptions,
  withAdministration,
);
