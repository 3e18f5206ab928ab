import { writeFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';

import { Option, type Command } from 'commander';

import { printResult, type CliContext } from '../cli-context.js';
import { CliError, configurationError, errorCode, errorText } from '../errors.js';
import { privateMode } from '../private-mode.js';
import { findGateways, withGatewayOptions, type GatewayOptions } from '../api/gateways.js';
import { askReadGateway } from '../import/import-plan.js';
import { openCsv, type SourceFile } from '../import/source/csv-rows.js';
import { type CsvFileOptions, withCsvOptions } from '../import/source/csv-options.js';
import { guessObject } from '../import/init/column-names.js';
import type { Row } from '../import/mapping/convert-row.js';
import { isExportHeader } from '../import/mapping/escaped-cells.js';
import { looksEscaped, unescapeFormula } from '../spreadsheet-escape.js';
import { readingsText } from '../import/source/encoding.js';
import { guessMapping, type InitMapping, remark, scalar } from '../import/init/mapping-text.js';
import {
  collections,
  exportObjects,
  importObjectOf,
  type ExportObject,
  type ImportObject,
  objectChoices,
} from '../import/targets.js';
import { withJson, type OutputOptions } from '../options.js';
import { type CustomField, listActiveFields, listPipelines, type PipelineWithStages } from '../setup/lookup.js';
import { proposalsOfPipelines } from '../setup/outcome-proposals.js';

interface InitOptions extends OutputOptions, GatewayOptions, CsvFileOptions {
  readonly object?: ExportObject;
  readonly output?: string;
}

const examples = `
Example:
  $ crm import init deals.csv
  $ crm import deals.csv --mapping deals.yaml --dry-run

It reads the header and the first 500 rows, and sends nothing. With a read gateway, or the local stack running (crm start), it
also finds the columns of custom fields; the key then needs the group list. To import a file that is named init, write ./init.`;

const mostRows = 500;

/** Adds `crm import init`. */
export const addImportInitCommand = (parent: Command, context: CliContext): void => {
  const command = parent
    .command('init')
    .description('guess a mapping from the header of a CSV file and write it to a file for editing')
    .argument('<file>', 'a CSV file with a header')
    .addOption(
      objectChoices(new Option('--object <object>', 'what the file contains (default: guessed)'), exportObjects),
    )
    .option('--output <file>', 'the mapping to write; - for stdout (default: <name of FILE>.yaml here)')
    .addHelpText('after', examples);
  withJson(withGatewayOptions(withCsvOptions(command), 'read')).action((file: string, options: InitOptions) =>
    initMapping(context, file, options),
  );
};

const initMapping = async (context: CliContext, file: string, options: InitOptions): Promise<void> => {
  const { delimiter, encoding, headerLine } = options;
  const source = await openCsv(file, { delimiter, encoding, headerLine, takesFirstEncoding: true });
  const rows = await firstRows(source);
  const columns = new Map(source.columns.map((column) => [column, rows.map((row) => row.get(column) ?? '')]));
  const object = options.object === undefined ? guessObject(columns) : importObjectOf(options.object);
  const customFields = await customFieldsOf(context, options, object);
  const found = object === 'opportunity' ? await pipelinesOf(context, options) : [];
  const pipelines = found.map(({ name }) => name);
  const settings = [...settingLines(options, source, object, pipelines), ...escapeLines(source.columns, rows)];
  const mapping = guessMapping({ name: basename(file), object, columns, customFields, settings });
  const output = options.output ?? `${basename(file, extname(file))}.yaml`;
  if (output === '-') {
    context.stdout.write(mapping.text);
    return;
  }
  await writeNew(output, mapping.text);
  printInit(context, options, {
    ...{ ...mapping, file, output, object, pipelines },
    proposals: proposalsOfPipelines(found),
  });
};

/** The lines of the mapping that make the printed command read the file as this one did. */
const settingLines = (
  { delimiter, encoding, headerLine }: InitOptions,
  { doubtful = [] }: SourceFile,
  object: ImportObject,
  pipelines: readonly string[],
): string[] => {
  const [first] = doubtful;
  const [pipeline = '', second] = pipelines;
  return [
    ...(delimiter === undefined ? [] : [`delimiter: ${delimiter === '\t' ? 'tab' : scalar(delimiter)}`]),
    ...(encoding === undefined ? [] : [`encoding: ${encoding}`]),
    ...(first === undefined ? [] : [`encoding: ${first.encoding}${remark([readingsText(doubtful)])}`]),
    ...(headerLine === undefined ? [] : [`header_line: ${headerLine}`]),
    ...(object !== 'opportunity'
      ? []
      : [
          second === undefined && pipeline !== ''
            ? `pipeline: ${scalar(pipeline)}`
            : '# pipeline: NAME (or give --pipeline)',
        ]),
  ];
};

/** The line about apostrophes before formulas, if the file has some. */
const escapeLines = (columns: readonly string[], rows: readonly Row[]): string[] => {
  const cell = rows.flatMap((row) => [...row.values()]).find(looksEscaped);
  if (cell === undefined) return [];
  const read = JSON.stringify(unescapeFormula(cell));
  const doubts = isExportHeader(columns)
    ? []
    : [`${JSON.stringify(cell)} is read as ${read}; with false, it stays as it is`];
  return [`escaped_formulas: true${remark(doubts)}`];
};

/** The pipelines of the organization that are not archived; none if no gateway is given. */
const pipelinesOf = async (context: CliContext, options: InitOptions): Promise<readonly PipelineWithStages[]> => {
  const gateways = await findGateways(context, options, 'read');
  if (gateways === undefined) return [];
  const found = await askReadGateway(gateways.url, gateways.apiKey, listPipelines);
  return found.filter((one) => one.is_active);
};

/** The custom fields of the organization; none if no gateway is given. */
const customFieldsOf = async (
  context: CliContext,
  options: InitOptions,
  object: ImportObject,
): Promise<readonly CustomField[]> => {
  const gateways = await findGateways(context, options, 'read');
  if (gateways === undefined || object === 'note') return [];
  return askReadGateway(gateways.url, gateways.apiKey, (client) => listActiveFields(client, object));
};

const firstRows = async ({ rows }: SourceFile): Promise<readonly ReadonlyMap<string, string>[]> => {
  const first: ReadonlyMap<string, string>[] = [];
  for await (const { row } of rows) if (first.push(row) === mostRows) break;
  return first;
};

/** Does not overwrite a file, because it may be a mapping that the user has edited. */
const writeNew = async (output: string, text: string): Promise<void> => {
  try {
    await writeFile(output, text, { flag: 'wx', mode: privateMode });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw new CliError(`${output} exists. Name another file with --output.`);
    throw configurationError(`--output: ${output} cannot be written: ${errorText(error)}`);
  }
};

const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

interface PrintedInit extends InitMapping {
  readonly file: string;
  readonly output: string;
  readonly object: ImportObject;
  readonly pipelines: readonly string[];
  readonly proposals: readonly string[];
}

const printInit = (context: CliContext, options: InitOptions, printed: PrintedInit): void => {
  const { file, output, object, fields, missing, leftOut, text: mapping, pipelines, proposals } = printed;
  const width = Math.max(0, ...fields.map(({ field }) => field.length));
  const checks = mapping.match(/# CHECK:.*/g) ?? [];
  const pipeline = pipelines.length > 1 ? ` --pipeline ${quoted(pipelines[0] ?? '')}` : '';
  const text = [
    `${output} is a mapping for ${collections[object]}. ${checks.length === 0 ? 'Check it.' : `Decide its lines marked CHECK (${checks.length}), and remove the marks.`}`,
    ...fields.map(({ field, column }) => `  ${field.padEnd(width)}  from ${column}`),
    ...missing.map((field) => `  ${field.padEnd(width)}  required, but no column was found`),
    ...(leftOut.length === 0 ? [] : [`Not imported: ${leftOut.join(', ')}`]),
    ...checks.map((check) => `  ${check.slice(2)}`),
    ...(pipeline === '' ? [] : [`The pipelines are: ${pipelines.join(', ')}`]),
    ...proposals,
    `Next: crm import ${quoted(file)} --mapping ${quoted(output)}${pipeline} --dry-run`,
  ].join('\n');
  const json = { mapping: output, object: collections[object], fields, missing, left_out: leftOut, checks, proposals };
  printResult(context, options, { json, text });
};
