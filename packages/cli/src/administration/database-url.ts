import type { CliContext } from '../cli-context.js';
import { configurationError } from '../errors.js';
import { dataDirectory, demoFilePath, readDemoFile } from '../local-stack/demo-file.js';

/** The option of every command that works on the database itself. */
export interface DatabaseUrlOption {
  readonly databaseUrl?: string;
}

/**
 * The database to work on: `--database-url`, then `DATABASE_URL`, then that of the local stack here, which is said aloud
 * because the caller did not name it.
 *
 * @throws CliError (78) when there is none, or it is no PostgreSQL address.
 */
export const findDatabaseUrl = async (context: CliContext, option: DatabaseUrlOption): Promise<string> => {
  const named = option.databaseUrl ?? context.env['DATABASE_URL'];
  if (named !== undefined && named !== '') return checkUrl(named);
  const directory = dataDirectory(context.env);
  const demo = await readDemoFile(directory);
  if (demo === undefined) {
    throw configurationError(
      'Which database? Give --database-url postgres://user:password@host:5432/name, or set DATABASE_URL; or start the local stack here: npm start',
    );
  }
  context.stderr.write(`Using the database of the local stack (from ${demoFilePath(directory)}).\n`);
  return demo.database_url;
};

const checkUrl = (url: string): string => {
  if (URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)) return url;
  // The address itself is not shown: it may hold a password.
  throw configurationError(
    '--database-url (or DATABASE_URL) must have the form postgres://user:password@host:5432/name.',
  );
};

/** The address for messages: without user and password. */
export const shownDatabase = (url: string): string => {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
};
