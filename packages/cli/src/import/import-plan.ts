import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';

import type { CrmClient } from '@crm/client';
import { type AttributeType, ok, type StoredCondition } from '@crm/domain';

import { CliError, configurationError, ifThere, usageError } from '../errors.js';
import { findPipeline, listFields, listPipelines } from '../setup/lookup.js';
import { connectClient, gatewayErrorText, type Gateways } from '../api/gateways.js';
import {
  type BodyCheck,
  type CheckedBody,
  unconditional,
  loadTargetSetup,
  makeBodyCheck,
  type TargetSetup,
} from './mapping/body-check.js';
import { checkColumns, checkNoDuplicates } from './mapping/check-columns.js';
import { convertRow, type ConvertedRow, type RequestBody, type RowProblem } from './mapping/convert-row.js';
import { cellReader, isExportHeader } from './mapping/escaped-cells.js';
import { openCsv, type SourceFile, type SourceRow } from './source/csv-rows.js';
import { convertExported, detectObject, unknownColumns, type ExportedSetup } from './mapping/exported-record.js';
import type { CsvFileOptions } from './source/csv-options.js';
import { fileError } from '../yaml-file.js';
import { openJsonLines } from './source/json-lines.js';
import { readMapping, type Mapping } from './mapping/mapping.js';
import { isId, type KnownPipeline, pipelineFinder, stageFinder } from './mapping/pipelines.js';
import { unmetConditions } from './mapping/stored-conditions.js';
import { problemsOf } from './sending/send-outcome.js';
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

type Conversion = ConvertedRow | 'skipped';

/** A copy of a whole organization: what its files refer to is known before they are read. */
export interface CopyTarget {
  readonly client: CrmClient;
  readonly setup: TargetSetup;
  /** See `ExportedSetup`. */
  readonly opportunityIds: ReadonlyMap<string, string>;
}

const readClient = (connection: Gateways | undefined): CrmClient | undefined =>
  connection?.readUrl === undefined
    ? undefined
    : connectClient({ readUrl: connection.readUrl, apiKey: connection.apiKey });

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
  copy?: CopyTarget,
): Promise<ImportPlan> => {
  const { mapping, dryRun } = options;
  const plan = await (mapping === undefined
    ? exportedPlan(file, options, connection, copy)
    : mappedPlan(file, mapping, options, connection));
  let check: Promise<BodyCheck> | undefined;
  const loadCheck = async ({ readUrl, apiKey }: { readonly readUrl: string; readonly apiKey: string }) =>
    makeBodyCheck(plan.object, await askReadGateway(readUrl, apiKey, (client) => loadTargetSetup(client, plan.object)));
  const checkBody = async (body: RequestBody): Promise<CheckedBody> => {
    if (copy !== undefined) check ??= Promise.resolve(makeBodyCheck(plan.object, copy.setup));
    else if (connection?.readUrl !== undefined)
      check ??= loadCheck({ readUrl: connection.readUrl, apiKey: connection.apiKey });
    else return unconditional;
    // An import without this check finds the same rows, only not all their faults.
    return (await (dryRun === true ? check : check.catch(() => () => unconditional)))(body);
  };
  /** What a record must have already. Without a permission to search, it is not known whether a record has it. */
  const checkConditions = async (body: RequestBody, { conditions, toStored }: CheckedBody) => {
    const { object } = plan;
    const known = copy?.client ?? readClient(connection);
    if (object === 'note' || dryRun !== true || conditions.length === 0 || known === undefined)
      return { conditions: [], unknown: [] };
    const unmet = await unmetConditions(known, object, body, conditions, toStored);
    const problemOf = ({ path, message }: StoredCondition) => problemsOf(object, { [path]: message });
    return { conditions: (unmet ?? []).flatMap(problemOf), unknown: unmet ? [] : conditions.flatMap(problemOf) };
  };
  const convert: ImportPlan['convert'] = async (row) => {
    if (row.problems.length > 0) return { problems: row.problems };
    const converted = await plan.convert(row);
    if (typeof converted === 'string' || converted.body === undefined) return converted;
    const { body, accountName, problems, warnings = [] } = converted;
    if (problems.length === 0 && dryRun !== true) return converted;
    const checked = await checkBody(body);
    const others = checked.faults.filter(({ field }) => !problems.some((one) => one.field === field));
    const { conditions, unknown } = await checkConditions(body, checked);
    return {
      body,
      accountName,
      problems: [...problems, ...others, ...conditions],
      warnings: [...warnings, ...unknown],
    };
  };
  return { ...plan, convert };
};

const mappedPlan = async (
  file: string,
  path: string,
  options: PlanOptions,
  connection: Gateways | undefined,
): Promise<ImportPlan> => {
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
  const { object, undecided, columnUses } = mapping;
  const isEscaped =
    options.raw === true ? false : (mapping.escapedFormulas ?? (isExportHeader(source.columns) || undefined));
  const readCells = cellReader(isEscaped, new Set(columnUses.map(({ column }) => column)));
  const convert = (raw: SourceRow): Conversion => {
    const row = readCells(raw.row);
    return row instanceof Map ? convertRow(mapping, pipeline, row) : { problems: row as readonly RowProblem[] };
  };
  return { object, source, convert, undecided };
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
  copy: CopyTarget | undefined,
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
  const setup =
    copy === undefined
      ? await findExportedSetup(object, options, connection, !isJson)
      : { ...exportedSetup(object, copy.setup, options.pipeline), opportunityIds: copy.opportunityIds };
  return { object, source, convert: (row) => convertExported(object, setup, row) };
};

const exportedSetup = (object: ImportObject, setup: TargetSetup, pipeline: string | undefined): ExportedSetup => {
  const fields = setup.fields.filter((field) => field.object === object);
  return {
    customTypes: new Map(fields.map(({ name: slug, attribute_type: type }) => [slug, type as AttributeType])),
    pipelines: object === 'opportunity' ? pipelineFinder(setup.pipelines, pipeline) : undefined,
  };
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
    const pipelines = object === 'opportunity' ? await listPipelines(client) : [];
    return exportedSetup(object, { fields, members: [], pipelines }, options.pipeline);
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
    throw usageError(
      'No pipeline is given. Give --pipeline, or pipeline_id: in the mapping (see: crm api GET /v1/pipelines).',
    );
  const ownStages = mapping.stages.size > 0 || mapping.fields.every(({ name }) => name !== 'stage');
  const stageId = stageFinder([...mapping.stages].map(([label, id]) => ({ label, stage_id: id })));
  if (ownStages && isId(named)) return { id: named.toLowerCase(), stageId };
  if (connection.readUrl === undefined)
    throw usageError(
      'Give --read-url to look up the pipeline and its stages by name. Or give the id of the pipeline, and those of the stages under stages: in the mapping (see: crm api GET /v1/pipelines).',
    );
  const { pipeline_id: id, stages } = await askReadGateway(connection.readUrl, connection.apiKey, (client) =>
    findPipeline(client, named),
  );
  return { id, stageId: ownStages ? stageId : stageFinder(stages) };
};
