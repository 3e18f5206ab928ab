import type { CliContext } from '../cli-context.js';
import { usageError } from '../errors.js';
import { dataDirectory, demoFilePath, readDemoFile } from '../local-stack/demo-file.js';

/** Where an export comes from. */
export interface ReadConnection {
  readonly url: string;
  readonly apiKey: string;
  /** Where members can be looked up. */
  readonly databaseUrl: string | undefined;
}

/** The options of `crm export` that say where from. */
export interface ReadConnectionOptions {
  readonly url?: string;
  readonly apiKey?: string;
  readonly databaseUrl?: string;
}

/**
 * Finds out where an export comes from: what the options say, or the local demo when they say nothing at all. They are
 * never mixed, so that the demo's key is not sent to another server.
 *
 * @throws CliError (2) when only one of address and key is given, or neither and there is no local demo.
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
    throw usageError('Where from? Give --url and --api-key, or start the local stack here first: npm start');
  }
  context.stderr.write(`Reading from the local demo at ${demo.read_url} (from ${demoFilePath(directory)}).\n`);
  return { url: demo.read_url, apiKey: demo.api_key, databaseUrl: databaseUrl ?? demo.database_url };
};
