import { fail, findTextFault, ok, type Result } from '@crm/domain';

import type { FieldSource, MappedField, Mapping } from './mapping.js';
import { placeValue } from '../targets.js';
import type { Scalar, Step } from './transforms.js';

/** One record of the CSV file: its cells by column. */
export type Row = ReadonlyMap<string, string>;

/** A fault of a row. `field` is its name in the mapping, or empty if the whole row is at fault. */
export interface RowProblem {
  readonly field: string;
  readonly reason: string;
}

/** A JSON body of a create operation. */
export type RequestBody = Readonly<Record<string, unknown>>;

/** The result of converting a row. A rejected row may have a body without the values at fault. */
export type ConvertedRow =
  | {
      readonly kind: 'request';
      readonly body: RequestBody;
      readonly problems?: undefined;
      readonly accountName?: unknown;
    }
  | { readonly kind: 'skipped'; readonly body?: undefined }
  | { readonly kind: 'rejected'; readonly body?: RequestBody; readonly problems: readonly RowProblem[] };

/** The result of a row that cannot be sent. */
export const rejected = (problems: readonly RowProblem[]): ConvertedRow => ({ kind: 'rejected', problems });

/** A mapping with the data that it does not contain: the pipeline, and the ids of its stages by label. */
export interface ConversionContext {
  readonly mapping: Mapping;
  readonly pipelineId: string | undefined;
  /** The id of a stage by its label. */
  readonly stageId: (label: string) => Result<string>;
}

/** Converts a row into the body of one create request. Finds all problems of the row, not only the first. */
export const convertRow = (context: ConversionContext, raw: Row): ConvertedRow => {
  const problems: RowProblem[] = [];
  const row = cleanRow(context.mapping, raw, problems);
  if (context.mapping.skipWhen.some(({ column, matches }) => matches(row.get(column) ?? '')))
    return { kind: 'skipped' };
  const body: Record<string, unknown> = context.pipelineId === undefined ? {} : { pipeline_id: context.pipelineId };
  for (const field of context.mapping.fields) {
    const value = fieldValue(context, field, row);
    if (!value.ok) problems.push({ field: field.target.name, reason: value.message });
    else if (value.value !== undefined) placeValue(body, field.target, value.value);
  }
  return problems.length > 0 ? { kind: 'rejected', problems, body } : { kind: 'request', body };
};

const cleanRow = (mapping: Mapping, raw: Row, problems: RowProblem[]): Row => {
  if (mapping.columns.size === 0) return raw;
  const row = new Map(raw);
  for (const [column, steps] of mapping.columns) {
    const cleaned = applySteps(steps, raw.get(column) ?? '');
    if (!cleaned.ok) problems.push({ field: column, reason: cleaned.message });
    else row.set(column, cleaned.value.map(String).join(''));
  }
  return row;
};

type FieldValue = Scalar | readonly Scalar[] | undefined;

const fieldValue = (context: ConversionContext, field: MappedField, row: Row): Result<FieldValue> => {
  const values: Scalar[] = [];
  for (const source of field.sources) {
    const read = applySteps(source.steps, sourceValue(source, row));
    if (!read.ok) return read;
    values.push(...read.value);
  }
  if (values.length === 0) {
    if (field.whenEmpty === 'reject') return fail('is empty');
    if (field.whenEmpty === 'skip') return ok(undefined);
    values.push(field.whenEmpty.value);
  }
  const isList =
    field.sources.length > 1 || field.sources.some(({ steps }) => steps.some((step) => step.kind === 'split'));
  if (field.target.kind === 'list' || (field.target.kind === 'custom' && isList)) return ok(values);
  const [value] = values;
  return field.target.kind === 'stage' && value !== undefined ? context.stageId(String(value)) : ok(value);
};

const sourceValue = ({ source }: FieldSource, row: Row): Scalar => {
  if (source.kind === 'constant') return source.value;
  if (source.kind === 'column') return row.get(source.column) ?? '';
  return source.template.fill((column) => row.get(column) ?? '');
};

/** Applies the steps to a value. A blank text gives no value. */
const applySteps = (steps: readonly Step[], start: Scalar): Result<readonly Scalar[]> => {
  const fault = typeof start === 'string' ? findTextFault(start) : null;
  if (fault !== null) return fail(fault);
  let values: Scalar[] = [start].filter(hasContent);
  for (const step of steps) {
    const next: Scalar[] = [];
    for (const value of values) {
      if (typeof value !== 'string') next.push(value);
      else if (step.kind === 'split') next.push(...value.split(step.separator).map((part) => part.trim()));
      else {
        const applied = step.apply(value);
        if (!applied.ok) return applied;
        next.push(applied.value);
      }
    }
    values = next.filter(hasContent);
  }
  return ok(values);
};

const hasContent = (value: Scalar): boolean => typeof value !== 'string' || value.trim() !== '';
