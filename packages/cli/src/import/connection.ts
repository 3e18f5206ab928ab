import { usageError } from '../errors.js';
import { dataDirectory, demoFilePath, readDemoFile } from '../local-stack/demo-file.js';

/** Where an import goes. */
export interface ImportConnection {
  readonly inboundUrl: string;
  readonly apiKey: string;
  readonly readUrl: string | undefined;
  /** The pipeline to take when neither the command line nor the mapping names one. */
  readonly defaultPipelineId: string | undefined;
  /** The demo file it was taken from, to be said to the user. */
  readonly demoFile: string | undefined;
}

/** The options of `crm import` that say where to. */
export interface ConnectionOptions {
  readonly url?: string;
  readonly apiKey?: string;
  readonly readUrl?: string;
}

/**
 * Finds out where an import goes: where the options say, or to the local demo when they say nothing at all. They are
 * never mixed, so that the demo's key is not sent to another server.
 *
 * @returns `undefined` when there is neither.
 * @throws CliError (2) when only one of address and key is given.
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
  return {
    inboundUrl: demo.inbound_url,
    apiKey: demo.api_key,
    readUrl: options.readUrl ?? demo.read_url,
    defaultPipelineId: demo.pipeline_id,
    demoFile: demoFilePath(directory),
  };
};
