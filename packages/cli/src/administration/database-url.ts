import { toUrl } from '@crm/domain';
import type { CliContext } from '../cli-context.js';
import { configurationError } from '../errors.js';
import { dataDirectory, demoFilePath, readDemoFile } from '../local-stack/demo-file.js';

/** The option of every command that connects to the database. */
export interface DatabaseUrlOption {
  readonly databaseUrl?: string;
}

/**
 * Finds the database: `--database-url`, else `DATABASE_URL`, else that of the local stack. The use of the local stack
 * is reported on stderr, because the user did not ask for it.
 *
 * @throws CliError (78) if there is none, or it is not a PostgreSQL address.
 */
export const findDatabaseUrl = async (context: CliContext, option: DatabaseUrlOption): Promise<string> => {
  const named = option.databaseUrl ?? context.env['DATABASE_URL'];
  if (named !== undefined && named !== '') return checkUrl(named);
  const directory = dataDirectory(context.env);
  const demo = await readDemoFile(directory);
  if (demo === undefined) {
    throw configurationError(
      'No database is given. Give --database-url postgres://user:password@host:5432/name, set DATABASE_URL, or start the local stack: npm start',
    );
  }
  context.stderr.write(`Using the database of the local stack (from ${demoFilePath(directory)}).\n`);
  return demo.database_url;
};

const checkUrl = (url: string): string => {
  if (/^postgres(ql)?:$/.test(toUrl(url)?.protocol ?? '')) return url;
  // The address is not printed, because it may contain a password.
  throw configurationError(
    '--database-url (or DATABASE_URL) must have the form postgres://user:password@host:5432/name.',
  );
};

/** The address without user and password, for messages. */
export const shownDatabase = (url: string): string => {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
};
