import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { CrmError, type CrmClient, type Field } from '@crm/client';
import { Argument, Option, type Command } from 'commander';

import { printResult, type CliContext } from '../cli-context.js';
import { CliError, errorText, usageError } from '../errors.js';
import { columnNames, narrowColumns, systemColumns, type ExportColumns } from '../export/columns.js';
import { translateMembers } from '../export/member-emails.js';
import { resumeHint, runExport } from '../export/output.js';
import { readPages } from '../export/record-pages.js';
import { exportFormats, makeRowFormat, type CsvStyle, type ExportFormat, textPages } from '../export/row-format.js';
import { connectClient, findReadGateway, gatewayErrorText, withGatewayOptions } from '../api/gateways.js';
import { findPipeline, listFields } from '../setup/lookup.js';
import { withSetup, type SetupOptions } from '../setup/session.js';
import { delimiterOption } from '../import/source/csv-options.js';
import { exportObjects, type ExportObject, importObjectOf, objectChoices } from '../import/targets.js';
import { withJson } from '../options.js';
import { exportProgress } from '../progress.js';

interface ExportOptions extends SetupOptions, CsvStyle {
  readonly output: string;
  readonly format: ExportFormat;
  readonly pipeline?: string;
  readonly fields?: readonly string[];
  readonly restart?: boolean;
}

const examples = `
Examples:
  From the local stack (crm start), into a file that crm import can read:
    $ crm export accounts --output accounts.csv
    $ crm export opportunities --pipeline Sales --output deals.jsonl --format jsonl

  From a real organization (the key can also come from CRM_API_KEY, which keeps it out of the process list):
    $ crm export contacts --url https://read.example.com --api-key crm_live_… --output contacts.csv

  Some columns only, on stdout (the summary is then on stderr), and a file for a German Excel:
    $ crm export opportunities --fields stage,amount,custom_fields --output - | head
    $ crm export accounts --delimiter ";" --bom --output accounts.csv

  All data with the setup, archived fields included, as files for crm import-all in the directory acme:
    $ crm export all --output acme
    $ crm export all --org "Acme Sales" --output acme

If the export is stopped or killed, run the same command again to continue. Until it is complete, the records are in FILE.partial
and the progress is in FILE.progress.json. --restart starts over.
In CSV an empty cell is a missing value, "" is an empty text, and lists and objects are JSON. Dates are texts such as 2026-11-26.
In CSV a text that begins with = + - @, a tab or a line break gets an apostrophe in front. Otherwise spreadsheet programs would
run it as a formula. crm import removes the apostrophe. With --raw, export adds none: import such a file with --raw too.
Members in custom fields are written as emails. Archived fields are written if --fields names them, and by export all.
The key needs the groups list and search. With --org or --database-url, the command reads the database itself and needs no key.
Next: crm import --help`;

/** Adds `crm export`. */
export const addExportCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('export')
    .description('write records to a CSV or JSON lines file, the setup to a YAML file, or all to a directory')
    .addArgument(objectChoices(new Argument('<object>', 'what to export'), [...exportObjects, 'setup', 'all']))
    .requiredOption('--output <file>', 'the file to write, or the directory for all; - for stdout')
    .addOption(new Option('--format <format>', 'the file format').choices(exportFormats).default('csv'))
    .option('--pipeline <id or name>', 'opportunities of this pipeline only (default: all)')
    .option(
      '--fields <columns>',
      'columns, separated by commas (default: all); natural keys are always included',
      commaList,
    )
    .addOption(delimiterOption('a comma'))
    .option('--bom', 'begin a CSV file with a byte order mark, so that Excel reads it as UTF-8')
    .option('--raw', 'do not change texts that a spreadsheet program would read as formulas')
    .option('--restart', 'start over instead of continuing')
    .option('--database-url <url>', 'PostgreSQL address (default: DATABASE_URL, or the local stack)')
    .addOption(new Option('--org <name or id>', 'the organization in the database').env('CRM_ORG'))
    .addHelpText('after', examples);
  withJson(withGatewayOptions(command, 'read')).action(
    async (object: ExportObject | 'setup' | 'all', options: ExportOptions) => {
      if (object === 'setup') return (await import('../setup/apply.js')).writeSetup(context, options);
      const result = await (object === 'all' ? exportAll(context, options) : exportRecords(context, object, options));
      // Without a file, stdout has the records, so the summary goes to stderr.
      printResult(options.output === '-' ? { ...context, stdout: context.stderr } : context, options, result);
    },
  );
};

interface Result {
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Exports the setup and the records of one organization to a directory. */
const exportAll = async (context: CliContext, options: ExportOptions): Promise<Result> => {
  const { output: directory, format, pipeline, fields } = options;
  if (directory === '-' || pipeline !== undefined || fields !== undefined)
    throw usageError('crm export all needs a directory as --output, and takes no --pipeline and no --fields.');
  // The setup and the records must be those of the same organization.
  const demo = readsDatabase(options) ? undefined : (await findReadGateway(context, options)).demo;
  const source =
    demo === undefined ? options : { ...options, databaseUrl: demo.database_url, org: demo.organization_id };
  await mkdir(directory, { recursive: true });
  const setup = join(directory, 'setup.yaml');
  const { writeSetup } = await import('../setup/apply.js');
  await writeSetup({ ...context, stdout: context.stderr }, { ...source, output: setup, json: false });
  const results: Result[] = [];
  for (const object of ['accounts', 'contacts', 'opportunities', 'notes'] as const)
    results.push(
      await exportRecords(context, object, {
        ...source,
        output: join(directory, `${object}.${format}`),
        withArchived: true,
      }),
    );
  const files = results.map(({ json }) => json);
  const text = [
    ...results.map((one) => one.text),
    `To import all of it into another organization: crm import-all ${directory}`,
  ];
  return { json: { setup, files }, text: text.join('\n') };
};

const readsDatabase = ({ databaseUrl, org }: ExportOptions): boolean => databaseUrl !== undefined || org !== undefined;

const commaList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

const exportRecords = async (
  context: CliContext,
  object: ExportObject,
  options: ExportOptions & { readonly withArchived?: boolean },
): Promise<Result> => {
  if (options.pipeline !== undefined && object !== 'opportunities')
    throw usageError(`--pipeline applies only to opportunities, not to ${object}.`);
  if (readsDatabase(options)) {
    const work = ({ client }: { readonly client: CrmClient }) => exportFrom(context, client, 'itself', object, options);
    return withSetup(context, options, work, { groups: ['list', 'search'] });
  }
  const { url, apiKey } = await findReadGateway(context, options);
  return exportFrom(context, connectClient({ readUrl: url, apiKey }), url, object, options);
};

const exportFrom = async (
  context: CliContext,
  client: CrmClient,
  gatewayUrl: string,
  object: ExportObject,
  options: ExportOptions & { readonly withArchived?: boolean },
): Promise<Result> => {
  const signal = context.onInterrupt();
  let hint = ' Nothing was written.';
  try {
    const pipelineId =
      options.pipeline === undefined ? undefined : (await findPipeline(client, options.pipeline)).pipeline_id;
    const objectType = importObjectOf(object);
    const isWanted = ({ name, is_active: isActive }: Field): boolean =>
      isActive !== false || options.withArchived === true || options.fields?.includes(`custom_fields.${name}`) === true;
    const customFields = objectType === 'note' ? [] : (await listFields(client, objectType)).filter(isWanted);
    const columns = chooseColumns(object, customFields, options.fields);
    const members = await translateMembers(
      client,
      customFields.filter(({ name }) => columns.custom.includes(name)),
    );
    const { format, url, databaseUrl, org, delimiter, bom, raw } = options;
    const request = [object, format, url, databaseUrl, org, pipelineId, columnNames(columns), delimiter, bom, raw];
    const query = { object, columns, customFields, pipelineId };
    const rowFormat = makeRowFormat(format, columns, members.customValues, options);
    const { records, seconds } = await runExport({
      context,
      options,
      request,
      noun: object,
      pages: (earlier) => {
        hint = resumeHint(options);
        // If the earlier run was killed after its last page, nothing is left to read.
        const pages = earlier?.cursor === null ? [] : readPages(client, query, earlier?.cursor, signal);
        return textPages(pages, rowFormat, earlier === undefined);
      },
      onProgress: exportProgress(context.stderr, object),
    });
    return summary(object, options, { records, seconds, unknownMembers: members.unknown.size });
  } catch (error) {
    if (signal.aborted) throw new CliError(`The export was interrupted.${resumeHint(options)}`);
    if (error instanceof CliError) throw error;
    const gateway = { name: 'read gateway', url: gatewayUrl, option: '--url', groups: 'list,search' } as const;
    const reason = error instanceof CrmError ? gatewayErrorText(gateway, error) : `${errorText(error)}.`;
    throw new CliError(`The export stopped: ${reason}${hint}`);
  }
};

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

const summary = (
  object: ExportObject,
  options: ExportOptions,
  { records, seconds, unknownMembers }: { records: number; seconds: number; unknownMembers: number },
): Result => {
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
  return { json, text: `${records} ${object} in ${seconds.toFixed(1)} s${file === null ? '' : `, in ${file}`}${hint}` };
};
