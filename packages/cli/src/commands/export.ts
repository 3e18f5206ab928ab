import { CrmError, type Field } from '@crm/client';
import { Argument, Option, type Command } from 'commander';

import { printResult, type CliContext } from '../cli-context.js';
import { CliError, errorText, usageError } from '../errors.js';
import { columnNames, narrowColumns, systemColumns, type ExportColumns } from '../export/columns.js';
import { translateMembers } from '../export/member-emails.js';
import { openOutput } from '../export/output.js';
import { countRecords, listCustomFields, makePageReader } from '../export/record-pages.js';
import { exportFormats, makeRowFormat, type ExportFormat } from '../export/row-format.js';
import { runExport } from '../export/run-export.js';
import { connectClient, findReadGateway, gatewayErrorText, withGatewayOptions } from '../api/gateways.js';
import { writeSetup } from '../setup/apply.js';
import type { SetupOptions } from '../setup/session.js';
import { findPipelineId } from '../import/mapping/pipelines.js';
import { exportObjects, type ExportObject } from '../import/targets.js';
import { withJson } from '../options.js';
import { exportProgress } from '../progress.js';

interface ExportOptions extends SetupOptions {
  readonly output: string;
  readonly format: ExportFormat;
  readonly pipeline?: string;
  readonly fields?: readonly string[];
  readonly restart?: boolean;
  readonly raw?: boolean;
}

const examples = `
Examples:
  From the local stack (npm start), into a file that crm import can read:
    $ crm export accounts --output accounts.csv
    $ crm export opportunities --pipeline Sales --output deals.jsonl --format jsonl

  From a real organization (the key can also come from CRM_API_KEY, which keeps it out of the process list):
    $ crm export contacts --url https://read.example.com --api-key crm_live_… --output contacts.csv

  Some columns only, on stdout (the summary is then on stderr):
    $ crm export opportunities --fields stage,amount,custom_fields --output - | head

If the export is stopped or killed, run the same command again to continue. Until it is complete, the records are in FILE.partial
and the progress is in FILE.progress.json. --restart starts over.
In CSV an empty cell is a missing value, "" is an empty text, and lists and objects are JSON. Dates of deals are Unix milliseconds.
In CSV a text that begins with = + - @, a tab or a line break gets an apostrophe in front. Otherwise spreadsheet programs would
run it as a formula. crm import removes the apostrophe. With --raw, export adds none: import such a file with --raw too.
Members in custom fields are written as emails.
The key needs the groups list and search.

The setup is written in the format of crm apply. It can also be read from a database (--database-url, --org):
    $ crm export setup --org ID --output setup.yaml
Next: crm import --help`;

/** Adds `crm export`. */
export const addExportCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('export')
    .description('write records to a CSV or JSON lines file through the read gateway')
    .addArgument(new Argument('<object>', 'what to export').choices([...exportObjects, 'setup']))
    .requiredOption('--output <file>', 'the file to write; - for stdout')
    .addOption(new Option('--format <format>', 'the file format').choices(exportFormats).default('csv'))
    .option('--pipeline <id or name>', 'opportunities of this pipeline only (default: all)')
    .option(
      '--fields <columns>',
      'columns, separated by commas (default: all); natural keys are always included',
      commaList,
    )
    .option('--raw', 'do not change texts that a spreadsheet program would read as formulas')
    .option('--restart', 'start over instead of continuing')
    .option('--database-url <url>', 'for setup: PostgreSQL address (default: DATABASE_URL, or the local stack)')
    .addOption(new Option('--org <name or id>', 'for setup: the organization in the database').env('CRM_ORG'))
    .addHelpText('after', examples);
  withJson(withGatewayOptions(command, 'read')).action((object: ExportObject | 'setup', options: ExportOptions) =>
    object === 'setup' ? writeSetup(context, options) : exportRecords(context, object, options),
  );
};

const commaList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

const exportRecords = async (context: CliContext, object: ExportObject, options: ExportOptions): Promise<void> => {
  if (options.pipeline !== undefined && object !== 'opportunities')
    throw usageError(`--pipeline applies only to opportunities, not to ${object}.`);
  const connection = await findReadGateway(context, options);
  const client = connectClient({ readUrl: connection.url, apiKey: connection.apiKey });
  const signal = context.onInterrupt();
  let isBegun = false;
  try {
    const pipelineId = options.pipeline === undefined ? undefined : await findPipelineId(options.pipeline, client);
    const customFields = await listCustomFields(client, object);
    const columns = chooseColumns(object, customFields, options.fields);
    const members = await translateMembers(
      client,
      customFields.filter(({ name }) => columns.custom.includes(name)),
    );
    const { format, url, raw } = options;
    const request = [object, format, url ?? null, pipelineId ?? null, columnNames(columns), raw === true];
    const { output, earlier } = await openOutput(context.stdout, options, request);
    isBegun = true;
    if (earlier !== undefined) context.stderr.write(`Continuing after ${earlier.records} ${object}.\n`);
    const { records, seconds } = await runExport({
      readPage: makePageReader(client, object, columns, customFields, pipelineId),
      format: makeRowFormat(format, columns, members.customValues, raw === true),
      output,
      earlier,
      onProgress: exportProgress({
        stream: context.stderr,
        object,
        earlierRecords: earlier?.records ?? 0,
        countAll: () => countRecords(client, object, pipelineId),
      }),
      signal,
    });
    printSummary(context, object, options, { records, seconds, unknownMembers: members.unknown.size });
  } catch (error) {
    if (error instanceof CliError) throw error;
    const gateway = {
      name: 'read gateway',
      url: connection.url,
      option: '--url',
      groups: 'list,search',
    } as const;
    const reason = error instanceof CrmError ? gatewayErrorText(gateway, error) : `${errorText(error)}.`;
    throw new CliError(`The export stopped: ${reason}${isBegun ? resumeHint(options) : ' Nothing was written.'}`);
  }
};

const resumeHint = ({ output }: ExportOptions): string =>
  output === '-' ? '' : ' Run the same command again to continue.';

const chooseColumns = (
  object: ExportObject,
  customFields: readonly Field[],
  names: readonly string[] | undefined,
): ExportColumns => {
  const all = { system: systemColumns(object), custom: customFields.map(({ name }) => name) };
  if (names === undefined) return all;
  const narrowed = narrowColumns(all, names);
  if ('system' in narrowed) return narrowed;
  throw usageError(
    `--fields: unknown columns ${narrowed.join(', ')}. The columns are: ${columnNames(all).join(', ')}.`,
  );
};

const printSummary = (
  context: CliContext,
  object: ExportObject,
  options: ExportOptions,
  { records, seconds, unknownMembers }: { records: number; seconds: number; unknownMembers: number },
): void => {
  const file = options.output === '-' ? null : options.output;
  const json = {
    object,
    file,
    format: options.format,
    records,
    unknown_members: unknownMembers,
    seconds: Number(seconds.toFixed(3)),
  };
  const hint = unknownMembers === 0 ? '' : `\n${unknownMembers} deleted members in custom fields were written as ids.`;
  const text = `${records} ${object} in ${seconds.toFixed(1)} s${file === null ? '' : `, in ${file}`}${hint}`;
  // Without a file, stdout has the records, so the summary goes to stderr.
  printResult(file === null ? { ...context, stdout: context.stderr } : context, options, { json, text });
};
