import { realpath } from 'node:fs/promises';
import { basename, join, parse, resolve } from 'node:path';

import { Option, type Command } from 'commander';

import { printResult, type CliContext } from '../cli-context.js';
import { CliError, usageError } from '../errors.js';
import { example } from '../examples.js';
import { exportFormats } from '../export/row-format.js';
import { findGateways, noGatewayError, withGatewayOptions, type GatewayOptions } from '../api/gateways.js';
import type { SourceFile } from '../import/source/csv-rows.js';
import { withCsvOptions } from '../import/source/csv-options.js';
import { makePlan, type PlanOptions } from '../import/import-plan.js';
import { reportJson, reportText } from '../import/reporting/report.js';
import { bulkConcurrency, mostItems, runImport, singleConcurrency } from '../import/run-import.js';
import { SentNotes } from '../import/sending/sent-notes.js';
import { exportObjects, objectChoices } from '../import/targets.js';
import { addImportInitCommand } from './import-init.js';
import { wholeNumber, withJson, type OutputOptions } from '../options.js';
import { importProgress } from '../progress.js';

interface ImportOptions extends OutputOptions, GatewayOptions, PlanOptions {
  readonly concurrency?: number;
  readonly batch: number;
  readonly rejects?: string;
  readonly progress?: string;
  readonly onMatch: 'keep' | 'update';
  readonly limitRows?: number;
  readonly sameKey: 'reject' | 'keep';
  readonly outage: number;
}

const examples = `
Examples:
  With the local stack running (crm start), into its demo organization:
    $ crm import ${example('sales-pipeline.sample.csv')} --mapping ${example('sales-pipeline.yaml')}

  Guess a mapping for your own file and write it to deals.yaml. Check that file before the import:
    $ crm import init deals.csv

  Check whether all rows fit, without sending any:
    $ crm import deals.csv --mapping deals.yaml --dry-run

  Into a real organization (the key can also come from CRM_API_KEY, which keeps it out of the process list):
    $ crm import deals.csv --mapping deals.yaml --url https://inbound.example.com --read-url https://read.example.com \\
        --api-key crm_live_… --pipeline "New business"

  Files of crm export need no mapping. Import accounts first, then contacts, opportunities and notes:
    $ crm import accounts.csv

The key needs the groups bulk and list. For notes, and with --batch 1, it needs inbound instead of bulk.
Running it again is safe: existing records are matched, not duplicated. Rejected rows are in the rejects file with line and
reason. Correct them there and import that file with the same mapping.
The separator and the encoding (UTF-8, UTF-16, Windows-1252) are guessed, and printed if they are unusual. A value that cannot
be stored exactly, such as a number with too many digits, is rejected.
Exit codes: 0 all rows were imported; 1 rows were rejected or the import stopped; 2 wrong options; 78 wrong mapping.`;

/** Adds `crm import`. */
export const addImportCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('import')
    .description('create records from a CSV or JSON lines file through the inbound gateway')
    .helpCommand(false)
    .argument('<file>', 'a CSV file with a header, or a file of crm export')
    .option('--mapping <file>', 'YAML or JSON file that maps columns to fields; not for files of crm export')
    .addOption(
      objectChoices(
        new Option('--object <object>', 'what the exported file contains (default: detected)'),
        exportObjects,
      ),
    )
    .addOption(
      new Option('--format <format>', 'the file format (default: by the file extension)').choices(exportFormats),
    )
    .option('--pipeline <id or name>', 'pipeline of the opportunities; a name needs --read-url')
    .option(
      '--concurrency <n>',
      `requests at the same time (default: ${bulkConcurrency} in bulk, ${singleConcurrency} otherwise)`,
      wholeNumber(1, 100),
    )
    .option('--batch <n>', 'rows per request; 1 sends each row by itself', wholeNumber(1, mostItems), mostItems)
    .option('--rejects <file>', 'file for rejected rows (default: <name of FILE>.rejects.csv or .jsonl here)')
    .option('--progress <file>', 'for notes: the file that records the imported lines (default: FILE.progress)')
    .addOption(
      new Option('--on-match <what>', 'what to do with a record that exists')
        .choices(['keep', 'update'])
        .default('keep'),
    )
    .addOption(
      new Option(
        '--same-key <what>',
        'what to do with a row that has the key of an earlier row but another external_id',
      )
        .choices(['reject', 'keep'])
        .default('reject'),
    )
    .option('--limit-rows <n>', 'import at most this many rows', wholeNumber(1, 999_999_999))
    .option('--outage <seconds>', 'how long to wait for an unreachable gateway', wholeNumber(0, 86_400), 60)
    .option('--raw', 'the file is from crm export --raw: keep apostrophes before = + - @, also with a mapping')
    .option('--dry-run', 'check every row and send none')
    .addHelpText('after', examples);
  // Options after `init` belong to `crm import init`.
  command.enablePositionalOptions();
  addImportInitCommand(command, context);
  withJson(withGatewayOptions(withCsvOptions(command), 'inbound', true)).action(
    (file: string, options: ImportOptions) => importFile(context, file, options),
  );
};

const importFile = async (context: CliContext, file: string, options: ImportOptions): Promise<void> => {
  const connection = await findGateways(context, options, 'inbound');
  if (connection === undefined && options.dryRun !== true) throw noGatewayError();
  if (connection?.demo !== undefined) {
    context.stderr.write(`Importing into the local demo at ${connection.url} (from ${connection.demo.path}).\n`);
  }
  const plan = await makePlan(file, options, connection);
  if (plan.source.guessed !== '') {
    context.stderr.write(
      `Reading ${basename(file)} as ${plan.source.guessed}. If that is wrong, give --encoding or --delimiter.\n`,
    );
  }
  if (options.dryRun === true && connection?.readUrl === undefined)
    context.stderr.write('Emails, owners and options are not checked. Give --read-url to check them too.\n');
  const { undecided = [] } = plan;
  for (const line of undecided) context.stderr.write(`The import stops at ${line}\n`);
  const rejectsPath = options.rejects ?? defaultRejectsPath(file, plan.source);
  const warningsPath = warningsPathOf(rejectsPath);
  if ((await isSameFile(rejectsPath, file)) || (await isSameFile(warningsPath, file)))
    throw usageError(`--rejects must not be the file that is imported, nor may the warnings file: ${warningsPath}.`);
  const isBulk = plan.object !== 'note' && options.batch > 1;
  const target = options.dryRun === true ? undefined : connection;
  const result = await runImport({
    ...plan,
    rejectsPath,
    warningsPath,
    sending: target && {
      gateways: target,
      isBulk,
      updateMatches: options.onMatch === 'update',
      rowsNamePipelines: options.mapping === undefined && options.pipeline === undefined,
      outageMs: options.outage * 1000,
      onWait: (text) => void context.stderr.write(`${text}\n`),
    },
    batchSize: isBulk ? options.batch : 1,
    concurrency: options.concurrency ?? (isBulk ? bulkConcurrency : singleConcurrency),
    limitRows: options.limitRows,
    sameKey: options.sameKey,
    sentNotes:
      plan.object === 'note' && target !== undefined
        ? await SentNotes.open(options.progress ?? `${file}.progress`, file, target)
        : undefined,
    progress: importProgress(context.stderr, plan.source.sizeBytes),
    signal: context.onInterrupt(),
  });
  printResult(context, options, { json: reportJson(result), text: reportText(result) });
  if (result.stopped !== undefined || result.tally.rejected + result.tally.sameKey > 0 || undecided.length > 0)
    throw new CliError('');
};

/** The rejects file has the format of the source: CSV or JSON lines. */
const defaultRejectsPath = (file: string, { csv }: SourceFile): string =>
  `${basename(file)}.rejects.${csv === undefined ? 'jsonl' : 'csv'}`;

/** `deals.csv.rejects.csv` → `deals.csv.warnings.csv`, `bad.csv` → `bad.warnings.csv` */
const warningsPathOf = (rejectsPath: string): string => {
  const { dir, name, ext } = parse(rejectsPath);
  return join(dir, `${name.replace(/\.rejects$/, '')}.warnings${ext}`);
};

const isSameFile = async (first: string, second: string): Promise<boolean> => {
  const [one, other] = await Promise.all([first, second].map((path) => realpath(path).catch(() => resolve(path))));
  return one === other;
};
