import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

import { ok } from '@crm/domain';
import { Option, type Command } from 'commander';

import { printResult, type CliContext } from '../cli-context.js';
import { CliError, configurationError, errorCode, usageError } from '../errors.js';
import { findConnection, type ConnectionOptions, type ImportConnection } from '../import/connection.js';
import type { ConversionContext } from '../import/convert-row.js';
import { InboundClient } from '../import/inbound-client.js';
import { readMapping } from '../import/mapping-reader.js';
import type { Mapping } from '../import/mapping.js';
import { findPipelineId, loadStages } from '../import/pipeline-lookup.js';
import { makeProgress } from '../import/progress.js';
import { reportJson, reportText } from '../import/report.js';
import { runImport } from '../import/run-import.js';
import { httpUrl, wholeNumber, withJson, type OutputOptions } from '../options.js';

interface ImportOptions extends OutputOptions, ConnectionOptions {
  readonly mapping: string;
  readonly pipeline?: string;
  readonly concurrency: number;
  readonly rejects?: string;
  readonly onMatch: 'keep' | 'update';
  readonly limitRows?: number;
  readonly outage: number;
  readonly dryRun?: boolean;
}

const examples = `
Examples:
  With the local stack running (npm start), into its demo organization:
    $ crm import packages/cli/examples/sales-pipeline.sample.csv --mapping packages/cli/examples/sales-pipeline.yaml

  First look whether all rows fit, without sending any:
    $ crm import deals.csv --mapping deals.yaml --dry-run

  Into a real organization (the key can also come from CRM_API_KEY, which keeps it out of the process list):
    $ crm import deals.csv --mapping deals.yaml --url https://inbound.example.com --read-url https://read.example.com \\
        --api-key crm_live_… --pipeline "New business"

Running it again is safe: records that are there already are matched, not duplicated. Rows that were refused are in
the rejects file with line and reason; correct them there and import that file with the same mapping.
Exit code: 0 all rows are in, 1 rows were refused or the import stopped, 2 wrong options, 78 wrong mapping.`;

/** Adds `crm import`. */
export const addImportCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('import')
    .description('create records from a CSV file through the inbound gateway')
    .argument('<file>', 'the CSV file, with a header')
    .requiredOption('--mapping <file>', 'which column becomes which field, in YAML or JSON')
    .addOption(new Option('--url <url>', 'address of the inbound gateway').env('CRM_INBOUND_URL').argParser(httpUrl))
    .addOption(new Option('--read-url <url>', 'address of the read gateway').env('CRM_READ_URL').argParser(httpUrl))
    .addOption(new Option('--api-key <key>', 'key of the organization').env('CRM_API_KEY'))
    .option('--pipeline <id or name>', 'pipeline of the opportunities; a name needs --read-url')
    .option('--concurrency <n>', 'requests at the same time', wholeNumber(1, 100), 8)
    .option('--rejects <file>', 'where refused rows go (default: <name of FILE>.rejects.csv here)')
    .addOption(
      new Option('--on-match <what>', 'what a row does to its record that exists')
        .choices(['keep', 'update'])
        .default('keep'),
    )
    .option('--limit-rows <n>', 'import the first rows only', wholeNumber(1, 999_999_999))
    .option('--outage <seconds>', 'how long to wait for a gateway that is away', wholeNumber(0, 86_400), 60)
    .option('--dry-run', 'convert every row and send none')
    .addHelpText('after', examples);
  withJson(command).action((file: string, options: ImportOptions) => importFile(context, file, options));
};

const importFile = async (context: CliContext, file: string, options: ImportOptions): Promise<void> => {
  const mapping = readMapping(options.mapping, await readText(options.mapping));
  const rejectsPath = options.rejects ?? `${basename(file)}.rejects.csv`;
  if (rejectsPath === file) throw usageError('--rejects must not be the file that is imported.');
  const connection = await findConnection(options, context.env);
  if (connection === undefined && options.dryRun !== true) {
    throw usageError('Where to? Give --url and --api-key, or start the local stack here first: npm start');
  }
  if (connection?.demoFile !== undefined) {
    context.stderr.write(`Importing into the local demo at ${connection.inboundUrl} (from ${connection.demoFile}).\n`);
  }
  const result = await runImport({
    file,
    rejectsPath,
    conversion: await makeConversion(mapping, options, connection),
    makeClient:
      options.dryRun === true || connection === undefined ? undefined : clientMaker(mapping, options, connection),
    concurrency: options.concurrency,
    limitRows: options.limitRows,
    makeProgress: (sizeBytes) => makeProgress(context.stderr, sizeBytes),
    signal: context.onInterrupt(),
  });
  printResult(context, options, { json: reportJson(result), text: reportText(result) });
  if (result.stopped !== undefined || result.tally.rejected > 0) throw new CliError('');
};

const makeConversion = async (
  mapping: Mapping,
  options: ImportOptions,
  connection: ImportConnection | undefined,
): Promise<ConversionContext> => {
  if (mapping.object !== 'opportunity') return { mapping, pipelineId: undefined, stageId: ok };
  // A dry run without any server checks all but the stages, which only a server knows.
  if (connection === undefined) return { mapping, pipelineId: undefined, stageId: ok };
  const { readUrl, apiKey, defaultPipelineId } = connection;
  const read = readUrl === undefined ? undefined : { url: readUrl, apiKey };
  const pipelineId = await findPipelineId(options.pipeline ?? mapping.pipeline ?? defaultPipelineId, read);
  return { mapping, pipelineId, stageId: await loadStages(mapping, pipelineId, read) };
};

const clientMaker =
  (mapping: Mapping, options: ImportOptions, connection: ImportConnection) =>
  (onWait: (message: string) => void): InboundClient =>
    new InboundClient({
      url: connection.inboundUrl,
      apiKey: connection.apiKey,
      object: mapping.object,
      updateMatches: options.onMatch === 'update',
      outageMs: options.outage * 1000,
      firstAnswerMs: Math.min(options.outage, 5) * 1000,
      onWait,
    });

const readText = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw errorCode(error) === 'ENOENT' ? configurationError(`There is no mapping file ${path}.`) : error;
  }
};
