import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';

import type { CrmClient } from '@crm/client';
import { ok } from '@crm/domain';

import { CliError, configurationError, ifThere, usageError } from '../errors.js';
import { listCustomFields } from '../export/record-pages.js';
import { connectClient, gatewayErrorText, type Gateways } from '../api/gateways.js';
import { checkColumns, checkNoDuplicates } from './mapping/check-columns.js';
import { convertRow, type ConversionContext, type ConvertedRow } from './mapping/convert-row.js';
import { openCsv, type SourceFile, type SourceRow } from './source/csv-rows.js';
import { convertExported, detectObject, unknownColumns, type ExportedContext } from './mapping/exported-record.js';
import { guessFormat } from './source/guess-format.js';
import { openJsonLines } from './source/json-lines.js';
import { readMapping, type Mapping } from './mapping/mapping.js';
import { findPipelineId, loadPipelines, loadStages } from './mapping/pipelines.js';
import { collectionOf, importObjectOf, type ExportObject, type ImportObject } from './targets.js';

/** The options of `crm import` that control how rows are converted. */
export interface PlanOptions {
  readonly mapping?: string;
  readonly object?: ExportObject;
  readonly format?: 'csv' | 'jsonl';
  readonly pipeline?: string;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly raw?: boolean;
}

/** The source of an import, and the conversion of its rows. */
export interface ImportPlan {
  readonly object: ImportObject;
  readonly source: SourceFile;
  readonly convert: (row: SourceRow) => ConvertedRow;
  /** A description of the guessed format. Empty for the usual format. */
  readonly guessed: string;
}

/**
 * Opens the file and chooses the conversion of its rows. Without a mapping, the file must be one of `crm export`.
 *
 * @throws CliError if the mapping, the file and the options do not match.
 */
export const makePlan = async (
  file: string,
  options: PlanOptions,
  connection: Gateways | undefined,
): Promise<ImportPlan> => {
  if (options.mapping === undefined) return exportedPlan(file, options, connection);
  if (options.raw === true)
    throw usageError('--raw cannot be used with --mapping. It is for files of crm export --raw.');
  if (options.object !== undefined || options.format === 'jsonl') {
    throw usageError('--object and --format jsonl cannot be used with --mapping. Leave them out.');
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
  throw usageError(`--pipeline applies only to opportunities, not to ${collectionOf(object)}.`);
};

const exportedPlan = async (
  file: string,
  options: PlanOptions,
  connection: Gateways | undefined,
): Promise<ImportPlan> => {
  const isJson = options.format === undefined ? /^\.(jsonl|ndjson)$/i.test(extname(file)) : options.format === 'jsonl';
  const { source, guessed } = isJson ? await openJson(file, options) : await openExportedCsv(file, options);
  checkNoDuplicates(file, source.columns);
  const object = options.object === undefined ? detectObject(source.columns) : importObjectOf(options.object);
  const unknown = object === undefined ? source.columns : unknownColumns(object, source.columns);
  if (object === undefined || unknown.length > 0) {
    throw usageError(
      `${file} is not as crm export writes it${object === undefined ? '' : ` (${object})`}: unknown columns ${unknown.join(', ')}. Give a --mapping for them.`,
    );
  }
  checkPipelineOption(object, options);
  const context = await makeExportedContext(object, options, connection, !isJson);
  return { object, source, convert: (row) => convertExported(context, row), guessed };
};

type OpenedExport = Pick<ImportPlan, 'source' | 'guessed'>;

const openJson = async (file: string, { delimiter, encoding }: PlanOptions): Promise<OpenedExport> => {
  if (delimiter !== undefined || encoding !== undefined) {
    throw usageError('--delimiter and --encoding apply only to CSV. JSON lines are UTF-8.');
  }
  return { source: await openJsonLines(file), guessed: '' };
};

/** Guesses the format, because a spreadsheet program may have saved the file with another delimiter or encoding. */
const openExportedCsv = async (file: string, { delimiter, encoding, raw }: PlanOptions): Promise<OpenedExport> => {
  const { format, guessed } = await guessFormat(file, { delimiter, encoding });
  return { source: await openCsv(file, { ...format, isExport: true, hasEscapedFormulas: raw !== true }), guessed };
};

const makeExportedContext = async (
  object: ImportObject,
  options: PlanOptions,
  connection: Gateways | undefined,
  isCsv: boolean,
): Promise<ExportedContext> => {
  const needsRead = object === 'opportunity' || (isCsv && object !== 'note');
  if (!needsRead) return { object, customTypes: new Map(), pipelines: undefined };
  if (connection?.readUrl === undefined) {
    throw usageError('--read-url is missing. Give it to look up stages and the types of custom fields.');
  }
  return askReadGateway(connection.readUrl, connection.apiKey, async (client) => {
    const customTypes = isCsv ? await loadTypes(client, object) : new Map<string, string>();
    const pipelines = object === 'opportunity' ? await loadPipelines(client, options.pipeline) : undefined;
    return { object, customTypes, pipelines };
  });
};

/** Queries the read gateway. @throws CliError if that fails */
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
  connection: Gateways | undefined,
): Promise<ConversionContext> => {
  if (mapping.object !== 'opportunity') return { mapping, pipelineId: undefined, stageId: ok };
  // A dry run without a server checks everything except stages, which only a server knows.
  if (connection === undefined) return { mapping, pipelineId: undefined, stageId: ok };
  const { readUrl, apiKey, demo } = connection;
  const convert = async (read: CrmClient | undefined): Promise<ConversionContext> => {
    const pipelineId = await findPipelineId(options.pipeline ?? mapping.pipeline ?? demo?.pipeline_id, read);
    return { mapping, pipelineId, stageId: await loadStages(mapping, pipelineId, read) };
  };
  return readUrl === undefined ? convert(undefined) : askReadGateway(readUrl, apiKey, convert);
};

const readText = async (path: string): Promise<string> => {
  const text = await ifThere(readFile(path, 'utf8'));
  if (text === undefined) throw configurationError(`There is no mapping file ${path}.`);
  return text;
};
