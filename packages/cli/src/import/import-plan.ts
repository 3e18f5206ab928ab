import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';

import type { CrmClient } from '@crm/client';
import { ok } from '@crm/domain';

import { CliError, configurationError, errorCode, usageError } from '../errors.js';
import type { ExportObject } from '../export/columns.js';
import { listCustomFields } from '../export/record-pages.js';
import { connectClient, gatewayErrorText } from '../gateway-client.js';
import { checkColumns, checkNoDuplicates } from './check-columns.js';
import type { ImportConnection } from './connection.js';
import { convertRow, type ConversionContext, type ConvertedRow } from './convert-row.js';
import { openCsv, type SourceFile, type SourceRow } from './csv-rows.js';
import { convertExported, detectObject, unknownColumns, type ExportedContext } from './exported-record.js';
import { guessFormat } from './guess-format.js';
import { openJsonLines } from './json-lines.js';
import { readMapping } from './mapping-reader.js';
import type { Mapping } from './mapping.js';
import { loadPipelines } from './pipeline-directory.js';
import { findPipelineId, loadStages } from './pipeline-lookup.js';
import { collectionOf, type ImportObject } from './targets.js';

/** The options of `crm import` that say what a row becomes. */
export interface PlanOptions {
  readonly mapping?: string;
  readonly object?: ExportObject;
  readonly format?: 'csv' | 'jsonl';
  readonly pipeline?: string;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly raw?: boolean;
}

/** What an import reads, and what each row becomes. */
export interface ImportPlan {
  readonly object: ImportObject;
  readonly source: SourceFile;
  readonly convert: (row: SourceRow) => ConvertedRow;
  /** What was guessed of the file's format, for people; empty where nothing unusual was. */
  readonly guessed: string;
}

/** The objects by their names on the command line, which are those of `crm export`. */
const objectNames: Readonly<Record<ExportObject, ImportObject>> = {
  opportunities: 'opportunity',
  accounts: 'account',
  contacts: 'contact',
  notes: 'note',
};

/**
 * Opens the file and finds out what its rows become: by the mapping where there is one, as `crm export` wrote them otherwise.
 *
 * @throws CliError when mapping, file and options do not fit together.
 */
export const makePlan = async (
  file: string,
  options: PlanOptions,
  connection: ImportConnection | undefined,
): Promise<ImportPlan> => {
  if (options.mapping === undefined) return exportedPlan(file, options, connection);
  if (options.raw === true) throw usageError('--raw is for what crm export --raw wrote, and needs no --mapping.');
  if (options.object !== undefined || options.format === 'jsonl') {
    throw usageError('A mapping says the object itself and is for CSV: leave --object and --format out.');
  }
  const mapping = readMapping(options.mapping, await readText(options.mapping));
  checkPipelineOption(mapping.object, options);
  const { format, guessed } = await guessFormat(file, {
    delimiter: options.delimiter ?? mapping.delimiter,
    encoding: options.encoding ?? mapping.encoding,
  });
  const source = await openCsv(file, format);
  checkColumns(mapping, source.columns);
  const context = await makeConversion(mapping, options, connection);
  return { object: mapping.object, source, convert: ({ row }) => convertRow(context, row), guessed };
};

const checkPipelineOption = (object: ImportObject, { pipeline }: PlanOptions): void => {
  if (pipeline === undefined || object === 'opportunity') return;
  throw usageError(`--pipeline is for opportunities; ${collectionOf(object)} belong to none.`);
};

const exportedPlan = async (
  file: string,
  options: PlanOptions,
  connection: ImportConnection | undefined,
): Promise<ImportPlan> => {
  const isJson = options.format === undefined ? /^\.(jsonl|ndjson)$/i.test(extname(file)) : options.format === 'jsonl';
  const { source, guessed } = isJson ? await openJson(file, options) : await openExportedCsv(file, options);
  checkNoDuplicates(file, source.columns);
  const object = options.object === undefined ? detectObject(source.columns) : objectNames[options.object];
  const unknown = object === undefined ? source.columns : unknownColumns(object, source.columns);
  if (object === undefined || unknown.length > 0) {
    throw usageError(
      `${file} is not as crm export writes it${object === undefined ? '' : ` (${object})`}: --mapping has to say what becomes of ${unknown.join(', ')}.`,
    );
  }
  checkPipelineOption(object, options);
  const context = await makeExportedContext(object, options, connection, !isJson);
  return { object, source, convert: (row) => convertExported(context, row), guessed };
};

type OpenedExport = Pick<ImportPlan, 'source' | 'guessed'>;

const openJson = async (file: string, { delimiter, encoding }: PlanOptions): Promise<OpenedExport> => {
  if (delimiter !== undefined || encoding !== undefined) {
    throw usageError('--delimiter and --encoding are for CSV; JSON lines are UTF-8.');
  }
  return { source: await openJsonLines(file), guessed: '' };
};

/** A spreadsheet program may have written it again, with other signs. */
const openExportedCsv = async (file: string, { delimiter, encoding, raw }: PlanOptions): Promise<OpenedExport> => {
  const { format, guessed } = await guessFormat(file, { delimiter, encoding });
  return { source: await openCsv(file, { ...format, isExport: true, hasEscapedFormulas: raw !== true }), guessed };
};

const makeExportedContext = async (
  object: ImportObject,
  options: PlanOptions,
  connection: ImportConnection | undefined,
  isCsv: boolean,
): Promise<ExportedContext> => {
  const needsRead = object === 'opportunity' || (isCsv && object !== 'note');
  if (!needsRead) return { object, customTypes: new Map(), pipelines: undefined };
  if (connection?.readUrl === undefined) {
    throw usageError('Give --read-url, so that stages and the types of custom fields can be looked up.');
  }
  return askReadGateway(connection.readUrl, connection.apiKey, async (client) => {
    const customTypes = isCsv ? await loadTypes(client, object) : new Map<string, string>();
    const pipelines = object === 'opportunity' ? await loadPipelines(client, options.pipeline) : undefined;
    return { object, customTypes, pipelines };
  });
};

/** Asks what only the read gateway knows. @throws CliError when it does not say */
const askReadGateway = async <Answer>(
  url: string,
  apiKey: string,
  ask: (client: CrmClient) => Promise<Answer>,
): Promise<Answer> => {
  const client = connectClient({ readUrl: url, apiKey });
  try {
    return await ask(client);
  } catch (error) {
    if (error instanceof CliError) throw error;
    const address = { name: 'read gateway', url, option: '--read-url', groups: 'list' } as const;
    throw new CliError(`${gatewayErrorText(address, error)} Nothing was sent.`);
  }
};

const loadTypes = async (client: CrmClient, object: ImportObject): Promise<ReadonlyMap<string, string>> => {
  const fields = await listCustomFields(client, collectionOf(object));
  return new Map(fields.map(({ name: slug, attribute_type: type }) => [slug, type]));
};

const makeConversion = async (
  mapping: Mapping,
  options: PlanOptions,
  connection: ImportConnection | undefined,
): Promise<ConversionContext> => {
  if (mapping.object !== 'opportunity') return { mapping, pipelineId: undefined, stageId: ok };
  // A dry run without any server checks all but the stages, which only a server knows.
  if (connection === undefined) return { mapping, pipelineId: undefined, stageId: ok };
  const { readUrl, apiKey, defaultPipelineId } = connection;
  const convert = async (read: CrmClient | undefined): Promise<ConversionContext> => {
    const pipelineId = await findPipelineId(options.pipeline ?? mapping.pipeline ?? defaultPipelineId, read);
    return { mapping, pipelineId, stageId: await loadStages(mapping, pipelineId, read) };
  };
  return readUrl === undefined ? convert(undefined) : askReadGateway(readUrl, apiKey, convert);
};

const readText = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw errorCode(error) === 'ENOENT' ? configurationError(`There is no mapping file ${path}.`) : error;
  }
};
