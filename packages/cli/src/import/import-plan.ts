import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';

import type { CrmClient } from '@crm/client';
import { type AttributeType, ok } from '@crm/domain';

import { CliError, configurationError, ifThere, usageError } from '../errors.js';
import { findPipeline, listFields } from '../setup/lookup.js';
import { connectClient, gatewayErrorText, type Gateways } from '../api/gateways.js';
import { type BodyCheck, loadBodyCheck } from './mapping/body-check.js';
import { checkColumns, checkNoDuplicates } from './mapping/check-columns.js';
import { convertRow, type ConvertedRow, type RequestBody, type RowProblem } from './mapping/convert-row.js';
import { openCsv, type SourceFile, type SourceRow } from './source/csv-rows.js';
import { convertExported, detectObject, unknownColumns, type ExportedSetup } from './mapping/exported-record.js';
import type { CsvFileOptions } from './source/csv-options.js';
import { fileError } from '../yaml-file.js';
import { openJsonLines } from './source/json-lines.js';
import { readMapping, type Mapping } from './mapping/mapping.js';
import { isId, type KnownPipeline, loadPipelines, stageFinder } from './mapping/pipelines.js';
import { collections, importObjectOf, type ExportObject, type ImportObject } from './targets.js';

/** The options of `crm import` that control how rows are converted. */
export interface PlanOptions extends CsvFileOptions {
  readonly mapping?: string;
  readonly object?: ExportObject;
  readonly format?: 'csv' | 'jsonl';
  readonly pipeline?: string;
  readonly raw?: boolean;
  readonly dryRun?: boolean;
}

/** `matched`: the record is one that exists. */
type Conversion = ConvertedRow | 'skipped' | 'matched';

/** The source of an import, and the conversion of its rows. */
export interface ImportPlan {
  readonly object: ImportObject;
  readonly source: SourceFile;
  readonly convert: (row: SourceRow) => Conversion | Promise<Conversion>;
  /** The lines marked CHECK, at which an import stops. A dry run continues. */
  readonly undecided?: readonly string[];
}

/**
 * Opens the file and chooses the conversion of its rows. Without a mapping, the file must be one of `crm export`. With a
 * read gateway, a rejected row gets all its faults, and a dry run checks every row.
 *
 * @throws CliError if the mapping, the file and the options do not match.
 */
export const makePlan = async (
  file: string,
  options: PlanOptions,
  connection: Gateways | undefined,
): Promise<ImportPlan> => {
  const { mapping, dryRun } = options;
  const plan = await (mapping === undefined
    ? exportedPlan(file, options, connection)
    : mappedPlan(file, mapping, options, connection));
  let check: Promise<BodyCheck> | undefined;
  const faultsOf = async (body: RequestBody): Promise<readonly RowProblem[]> => {
    if (connection?.readUrl === undefined) return [];
    check ??= askReadGateway(connection.readUrl, connection.apiKey, (client) => loadBodyCheck(client, plan.object));
    // An import without this check finds the same rows, only not all their faults.
    return (await (dryRun === true ? check : check.catch(() => () => [])))(body);
  };
  const convert: ImportPlan['convert'] = async (row) => {
    if (row.problems.length > 0) return { problems: row.problems };
    const converted = await plan.convert(row);
    if (typeof converted === 'string' || converted.body === undefined) return converted;
    const { body, accountName, problems } = converted;
    if (problems.length === 0 && dryRun !== true) return converted;
    const more = await faultsOf(body);
    const others = more.filter(({ field }) => !problems.some((one) => one.field === field));
    return { body, accountName, problems: [...problems, ...others] };
  };
  return { ...plan, convert };
};

const mappedPlan = async (
  file: string,
  path: string,
  options: PlanOptions,
  connection: Gateways | undefined,
): Promise<ImportPlan> => {
  if (options.raw === true)
    throw usageError('--raw cannot be used with --mapping. It is for files of crm export --raw.');
  if (options.object !== undefined || options.format === 'jsonl')
    throw usageError('--object and --format jsonl cannot be used with --mapping. Leave them out.');
  const text = await ifThere(readFile(path));
  if (text === undefined) throw configurationError(`There is no mapping file ${path}.`);
  const mapping = readMapping(path, text);
  checkPipelineOption(mapping.object, options);
  if (mapping.undecided.length > 0 && options.dryRun !== true) throw fileError(undecidedHeading, mapping.undecided);
  const source = await openCsv(file, {
    delimiter: options.delimiter ?? mapping.delimiter,
    encoding: options.encoding ?? mapping.encoding,
    headerLine: options.headerLine ?? mapping.headerLine,
  });
  checkColumns(mapping, source.columns);
  const pipeline = await findMappedPipeline(mapping, options, connection);
  const { object, undecided } = mapping;
  return { object, source, convert: ({ row }) => convertRow(mapping, pipeline, row), undecided };
};

const undecidedHeading =
  'The mapping has lines marked CHECK; nothing was sent. Decide each of them, and remove the mark.';

const checkPipelineOption = (object: ImportObject, { pipeline }: PlanOptions): void => {
  if (pipeline === undefined || object === 'opportunity') return;
  throw usageError(`--pipeline applies only to opportunities, not to ${collections[object]}.`);
};

const exportedPlan = async (
  file: string,
  options: PlanOptions,
  connection: Gateways | undefined,
): Promise<ImportPlan> => {
  const { delimiter, encoding, headerLine, raw } = options;
  const isJson = options.format === undefined ? /^\.(jsonl|ndjson)$/i.test(extname(file)) : options.format === 'jsonl';
  if (isJson && (delimiter ?? encoding) !== undefined)
    throw usageError('--delimiter and --encoding apply only to CSV. JSON lines are UTF-8.');
  // A spreadsheet program may have saved the file with another delimiter or encoding.
  const source = isJson
    ? await openJsonLines(file)
    : await openCsv(file, { delimiter, encoding, headerLine, isExport: true, hasEscapedFormulas: raw !== true });
  checkNoDuplicates(file, source.columns);
  const object = options.object === undefined ? detectObject(source.columns) : importObjectOf(options.object);
  const unknown = object === undefined ? source.columns : unknownColumns(object, source.columns);
  if (object === undefined || unknown.length > 0)
    throw usageError(
      `${file} is not as crm export writes it${object === undefined ? '' : ` (${object})`}: unknown columns ${unknown.join(', ')}. Give a --mapping for them.`,
    );
  checkPipelineOption(object, options);
  const setup = await findExportedSetup(object, options, connection, !isJson);
  const noteIds = object === 'note' ? await storedNoteIds(source, connection) : new Set();
  const idOf = ({ record, row }: SourceRow): unknown => (record === undefined ? row.get('id') : record['id']);
  const convert = (row: SourceRow): Conversion =>
    noteIds.has(idOf(row)) ? 'matched' : convertExported(object, setup, row);
  return { object, source, convert };
};

/** The ids of all notes of the organization. A note has no other key by which an exported one could be found again. */
const storedNoteIds = async (
  { columns }: SourceFile,
  connection: Gateways | undefined,
): Promise<ReadonlySet<unknown>> => {
  if (!columns.includes('id') || connection === undefined) return new Set();
  if (connection.readUrl === undefined)
    throw usageError('--read-url is missing. Give it to find the notes of the file that exist already.');
  return askReadGateway(connection.readUrl, connection.apiKey, async (client) => {
    const ids = new Set<unknown>();
    for await (const { id } of client.notes.list({ limit: 500 })) ids.add(id);
    return ids;
  });
};

const findExportedSetup = async (
  object: ImportObject,
  options: PlanOptions,
  connection: Gateways | undefined,
  isCsv: boolean,
): Promise<ExportedSetup> => {
  if (object === 'note' || (object !== 'opportunity' && !isCsv))
    return { customTypes: new Map(), pipelines: undefined };
  if (connection?.readUrl === undefined)
    throw usageError('--read-url is missing. Give it to look up stages and the types of custom fields.');
  return askReadGateway(connection.readUrl, connection.apiKey, async (client) => {
    const fields = isCsv ? await listFields(client, object) : [];
    const customTypes = new Map(fields.map(({ name: slug, attribute_type: type }) => [slug, type as AttributeType]));
    return {
      customTypes,
      pipelines: object === 'opportunity' ? await loadPipelines(client, options.pipeline) : undefined,
    };
  });
};

/** Queries the read gateway. @throws CliError if that fails */
export const askReadGateway = async <Answer>(
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

/** The pipeline of a mapping of opportunities, with its stages. */
const findMappedPipeline = async (
  mapping: Mapping,
  options: PlanOptions,
  connection: Gateways | undefined,
): Promise<KnownPipeline | undefined> => {
  if (mapping.object !== 'opportunity') return undefined;
  // A dry run without a server checks everything except stages, which only a server knows.
  if (connection === undefined) return { id: undefined, stageId: ok };
  const named = options.pipeline ?? mapping.pipeline ?? connection.demo?.pipeline_id;
  if (named === undefined)
    throw usageError('No pipeline is given. Give --pipeline, or pipeline_id: in the mapping (see: crm pipeline list).');
  const ownStages = mapping.stages.size > 0 || mapping.fields.every(({ name }) => name !== 'stage');
  const stageId = stageFinder([...mapping.stages].map(([label, id]) => ({ label, stage_id: id })));
  if (ownStages && isId(named)) return { id: named.toLowerCase(), stageId };
  if (connection.readUrl === undefined)
    throw usageError(
      'Give --read-url to look up the pipeline and its stages by name. Or give the id of the pipeline, and those of the stages under stages: in the mapping (see: crm pipeline list).',
    );
  const { pipeline_id: id, stages } = await askReadGateway(connection.readUrl, connection.apiKey, (client) =>
    findPipeline(client, named),
  );
  return { id, stageId: ownStages ? stageId : stageFinder(stages) };
};
