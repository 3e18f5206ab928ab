import { ok, type Result } from '@crm/domain';

import { collections, findTarget, type ImportObject, placeValue } from '../targets.js';
import type { Mapping } from './mapping.js';
import type { KnownPipeline } from './pipelines.js';
import { applySteps } from './transforms.js';

/** One record of the CSV file: its cells by column. */
export type Row = ReadonlyMap<string, string>;

/** A fault of a row. `field` is its name in the mapping, or empty if the whole row is at fault. */
export interface RowProblem {
  readonly field: string;
  readonly reason: string;
}

/** A JSON body of a create operation. */
export type RequestBody = Readonly<Record<string, unknown>>;

/** The body of a row without the values at fault, and these faults. Without a body, it has no more to check. */
export interface ConvertedRow {
  readonly body?: RequestBody;
  /** The name of the account of a deal, which is sent in a create of the account. */
  readonly accountName?: unknown;
  readonly problems: readonly RowProblem[];
  /** What becomes of values that are not sent as they are in the row. */
  readonly warnings?: readonly RowProblem[];
}

/** A value of a row by the name of its target, or its fault. Undefined and null values are left out. */
export type Entry = readonly [name: string, value: Result<unknown>];

/** Places values in the body of one create request. Finds all problems of the row, not only the first. */
export const buildBody = (
  object: ImportObject,
  pipeline: Result<KnownPipeline> | undefined,
  entries: readonly Entry[],
): ConvertedRow => {
  const body: Record<string, unknown> = {};
  let accountName: unknown;
  const problems: RowProblem[] = [];
  if (pipeline?.ok === false) problems.push({ field: 'pipeline', reason: pipeline.message });
  else if (pipeline?.value.id !== undefined) body['pipeline_id'] = pipeline.value.id;
  for (const [name, value] of entries) {
    const target = findTarget(object, name);
    if (!value.ok) problems.push({ field: name, reason: value.message });
    else if (value.value === undefined || value.value === null) continue;
    else if (target === undefined) problems.push({ field: name, reason: `is not a field of ${collections[object]}` });
    else {
      const placed = target.kind === 'stage' ? stageOf(pipeline, value.value) : value;
      if (name === 'account_name') accountName = value.value;
      else if (placed.ok) placeValue(body, target, placed.value);
      else problems.push({ field: name, reason: placed.message });
    }
  }
  return pipeline?.ok === false ? { problems } : { body, accountName, problems };
};

/** A label is no problem of its own if the row names no pipeline, or one that does not exist. */
const stageOf = (pipeline: Result<KnownPipeline> | undefined, label: unknown): Result<string> =>
  pipeline?.ok === true ? pipeline.value.stageId(String(label)) : ok(String(label));

/** Converts a row with a mapping. A pipeline is given only for opportunities. */
export const convertRow = (
  mapping: Mapping,
  pipeline: KnownPipeline | undefined,
  raw: Row,
): ConvertedRow | 'skipped' => {
  const row = new Map(raw);
  const problems: RowProblem[] = [];
  for (const [column, steps] of mapping.columns) {
    const cleaned = applySteps(steps, raw.get(column) ?? '');
    if (cleaned.ok) row.set(column, cleaned.value.join(''));
    else problems.push({ field: column, reason: cleaned.message });
  }
  if (mapping.skipWhen.some((matches) => matches(row))) return 'skipped';
  const entries = mapping.fields.map(({ name, read }) => [name, read(row)] as const);
  const converted = buildBody(mapping.object, pipeline && ok(pipeline), entries);
  return { ...converted, problems: [...problems, ...converted.problems] };
};
