import { writeFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';

import { Option, type Command } from 'commander';

import { printResult, type CliContext } from '../cli-context.js';
import { CliError, configurationError, errorCode, errorText } from '../errors.js';
import { findGateways, withGatewayOptions, type GatewayOptions } from '../api/gateways.js';
import { askReadGateway } from '../import/import-plan.js';
import { openCsv, type SourceFile } from '../import/source/csv-rows.js';
import { withCsvOptions } from '../import/source/csv-options.js';
import { guessObject } from '../import/init/column-names.js';
import { guessMapping, type InitMapping } from '../import/init/mapping-text.js';
import {
  collections,
  exportObjects,
  importObjectOf,
  type ExportObject,
  type ImportObject,
  objectChoices,
} from '../import/targets.js';
import { withJson, type OutputOptions } from '../options.js';
import { type CustomField, listActiveFields } from '../setup/lookup.js';

interface InitOptions extends OutputOptions, GatewayOptions {
  readonly object?: ExportObject;
  readonly output?: string;
  readonly delimiter?: string;
  readonly encoding?: string;
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
  const source = await openCsv(file, { delimiter: options.delimiter, encoding: options.encoding });
  const rows = await firstRows(source);
  const columns = new Map(source.columns.map((column) => [column, rows.map((row) => row.get(column) ?? '')]));
  const object = options.object === undefined ? guessObject(columns) : importObjectOf(options.object);
  const customFields = await customFieldsOf(context, options, object);
  const mapping = guessMapping({ name: basename(file), object, columns, customFields });
  const output = options.output ?? `${basename(file, extname(file))}.yaml`;
  if (output === '-') {
    context.stdout.write(mapping.text);
    return;
  }
  await writeNew(output, mapping.text);
  printInit(context, options, { ...mapping, file, output, object });
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
    await writeFile(output, text, { flag: 'wx' });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw new CliError(`${output} exists. Name another file with --output.`);
    throw configurationError(`--output: ${output} cannot be written: ${errorText(error)}`);
  }
};

const printInit = (
  context: CliContext,
  options: InitOptions,
  { file, output, object, fields, missing }: InitMapping & { file: string; output: string; object: ImportObject },
): void => {
  const width = Math.max(0, ...fields.map(({ field }) => field.length));
  const text = [
    `${output} is a mapping for ${collections[object]}. Check it, above all the lines marked CHECK.`,
    ...fields.map(({ field, column }) => `  ${field.padEnd(width)}  from ${column}`),
    ...missing.map((field) => `  ${field.padEnd(width)}  required, but no column was found`),
    `Next: crm import ${file} --mapping ${output} --dry-run`,
  ].join('\n');
  const json = { mapping: output, object: collections[object], fields, missing };
  printResult(context, options, { json, text });
};
