import {
  administration,
  describeUnmet,
  explainPage,
  inspectSchema,
  loadSetup,
  openAdministrationDatabase,
  rebuildRecords,
  type Administration,
  type OrganizationSetup,
  type ExplainedPage,
  type PageRequest,
} from '@crm/db';
import { Failure, isFailure } from '@crm/domain';

import type { CliContext } from '../cli-context.js';
import { CliError, configurationError, errorText } from '../errors.js';
import { auditOrigin, type ActorOption } from './audit-origin.js';
import { findDatabaseUrl, shownDatabase, type DatabaseUrlOption } from './database-url.js';

/** The database functions that an administrative command uses. */
export interface AdministrationSession {
  readonly administration: Administration;
  /** Loads the setup of an organization. @throws CliError if there is no such organization. */
  readonly setup: (organizationId: string) => Promise<OrganizationSetup>;
  /** Reads a page and returns its plan, its SQL and their cost. */
  readonly explainPage: (request: PageRequest) => Promise<ExplainedPage>;
  /** Rebuilds the stored records of an organization's opportunities. */
  readonly rebuildRecords: (organizationId: string, onProgress: (done: number) => void) => Promise<number>;
}

/** The time limit of a statement in milliseconds. Without it, the default of `openDatabase` applies. */
interface StatementTimeout {
  readonly statementTimeoutMs?: number;
}

/**
 * Opens the database, checks that it is migrated to this version, runs `work` and closes the database.
 *
 * @throws CliError that says what to do, if the database is unreachable or not migrated, or `work` fails.
 */
export const withAdministration = async <T>(
  context: CliContext,
  option: DatabaseUrlOption & ActorOption & StatementTimeout,
  work: (session: AdministrationSession) => Promise<T>,
): Promise<T> => {
  const url = await findDatabaseUrl(context, option);
  const { statementTimeoutMs } = option;
  const database = openAdministrationDatabase({
    url,
    applicationName: 'crm-cli',
    maxConnections: 2,
    statementTimeoutMs,
  });
  const origin = auditOrigin(context, option);
  try {
    const { pending, unmet } = await inspectSchema(database);
    if (unmet.length > 0) {
      throw configurationError(
        `The database ${shownDatabase(url)} needs a newer version of crm: ${describeUnmet(unmet)}.`,
      );
    }
    if (pending.length > 0) {
      throw configurationError(
        `The database ${shownDatabase(url)} has not been migrated to this version. Run: crm migrate`,
      );
    }
    return await work({
      administration: administration(database, origin),
      setup: (organizationId) => findSetup(() => loadSetup(database, organizationId), organizationId),
      explainPage: (request) => explainPage(database, request, statementTimeoutMs),
      rebuildRecords: (organizationId, onProgress) => rebuildRecords(database, organizationId, onProgress, origin),
    });
  } catch (error) {
    throw databaseError(error, url);
  } finally {
    await database.close();
  }
};

const findSetup = async (
  load: () => Promise<OrganizationSetup>,
  organizationId: string,
): Promise<OrganizationSetup> => {
  try {
    return await load();
  } catch (error) {
    if (isFailure(error, 'not_found')) {
      throw new CliError(`There is no organization ${organizationId}. See: crm org list`);
    }
    throw error;
  }
};

/** Converts an error of the database layer into a CliError. Returns a CliError unchanged. */
export const databaseError = (error: unknown, url: string): CliError => {
  if (error instanceof CliError) return error;
  const isAway = isFailure(error, 'unavailable') || isFailure(error, 'timeout');
  if (error instanceof Failure && !isAway) return new CliError(error.message);
  const text = errorText(error instanceof Failure ? (error.cause ?? error) : error);
  return new CliError(
    `The database ${shownDatabase(url)} cannot be used: ${text}. Check that it is running, and that the address and the password are correct.`,
    1,
    { cause: error },
  );
};
