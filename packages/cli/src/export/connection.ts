import type { CliContext } from '../cli-context.js';
import { usageError } from '../errors.js';
import { dataDirectory, demoFilePath, readDemoFile } from '../local-stack/demo-file.js';

/** The source of an export. */
export interface ReadConnection {
  readonly url: string;
  readonly apiKey: string;
  /** The database in which members can be looked up. */
  readonly databaseUrl: string | undefined;
}

/** The options of `crm export` that name its source. */
export interface ReadConnectionOptions {
  readonly url?: string;
  readonly apiKey?: string;
  readonly databaseUrl?: string;
}

/**
 * Finds the source of an export: the options, or the local demo if none are given. The two are never mixed, so that the
 * demo's key is not sent to another server.
 *
 * @throws CliError (2) if only one of address and key is given, or neither and there is no local demo.
 */
export const findReadConnection = async (
  context: CliContext,
  { url, apiKey, databaseUrl }: ReadConnectionOptions,
): Promise<ReadConnection> => {
  if (url !== undefined && apiKey !== undefined) return { url, apiKey, databaseUrl };
  if (url !== undefined) throw usageError('--url needs --api-key (or CRM_API_KEY).');
  if (apiKey !== undefined) throw usageError('--api-key needs --url, the address of the read gateway.');
  const directory = dataDirectory(context.env);
  const demo = await readDemoFile(directory);
  if (demo === undefined) {
    throw usageError('No gateway is given. Give --url and --api-key, or start the local stack: npm start');
  }
  context.stderr.write(`Reading from the local demo at ${demo.read_url} (from ${demoFilePath(directory)}).\n`);
  return { url: demo.read_url, apiKey: demo.api_key, databaseUrl: databaseUrl ?? demo.database_url };
};
