import { usageError } from '../errors.js';
import { dataDirectory, demoFilePath, readDemoFile } from '../local-stack/demo-file.js';

/** The destination of an import. */
export interface ImportConnection {
  readonly inboundUrl: string;
  readonly apiKey: string;
  readonly readUrl: string | undefined;
  /** The pipeline to use if neither the command line nor the mapping names one. */
  readonly defaultPipelineId: string | undefined;
  /** The demo file that it was read from, to be shown to the user. */
  readonly demoFile: string | undefined;
}

/** The options of `crm import` that name its destination. */
export interface ConnectionOptions {
  readonly url?: string;
  readonly apiKey?: string;
  readonly readUrl?: string;
}

/**
 * Finds the destination of an import: the options, or the local demo if none are given. The two are never mixed, so
 * that the demo's key is not sent to another server.
 *
 * @returns `undefined` if there is neither.
 * @throws CliError (2) if only some of the options are given.
 */
export const findConnection = async (
  options: ConnectionOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ImportConnection | undefined> => {
  if (options.url !== undefined && options.apiKey !== undefined) {
    const { url, apiKey, readUrl } = options;
    return { inboundUrl: url, apiKey, readUrl, defaultPipelineId: undefined, demoFile: undefined };
  }
  if (options.url !== undefined) throw usageError('--url needs --api-key (or CRM_API_KEY).');
  if (options.apiKey !== undefined) throw usageError('--api-key needs --url, the address of the inbound gateway.');
  const directory = dataDirectory(env);
  const demo = await readDemoFile(directory);
  if (demo === undefined) return undefined;
  if (options.readUrl !== undefined) throw usageError('--read-url (or CRM_READ_URL) needs --url and --api-key.');
  return {
    inboundUrl: demo.inbound_url,
    apiKey: demo.api_key,
    readUrl: demo.read_url,
    defaultPipelineId: demo.pipeline_id,
    demoFile: demoFilePath(directory),
  };
};
