import {
  type ComparisonValue,
  compareCodePoints,
  defaultSort,
  ErrorCollector,
  type FieldIndex,
  normalizeForSearch,
  matchesFilter,
  parseFilters,
  parseSort,
  type SortKey,
} from '@crm/domain';
import { filteredValueOf, type RecordModel, valueOf } from './record-model.js';

/** A search, as its body contains it. */
export interface Question {
  readonly filters?: unknown;
  readonly sort?: unknown;
  readonly query?: string;
  readonly pipeline_id?: string;
  readonly stage_id?: string;
}

const accepted = <T>(read: (errors: ErrorCollector) => T): T => {
  const errors = new ErrorCollector();
  const value = read(errors);
  errors.throwIfAny();
  return value;
};

/** Sorts use only the first 200 code points of the normalized text. */
const firstPoints = (text: string): string => Array.from(text).slice(0, 200).join('');

const compareValues = (a: ComparisonValue, b: ComparisonValue): number => {
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(firstPoints(a), firstPoints(b));
  return Number(a) - Number(b);
};

const compareBy = (a: RecordModel, b: RecordModel, { field, direction }: SortKey): number => {
  const [left, right] = [valueOf(a, field), valueOf(b, field)];
  // Nulls come last in both directions.
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return direction === 'asc' ? compareValues(left, right) : compareValues(right, left);
};

const createdAt = ({ wire }: RecordModel): number => Date.parse(String(wire['created_at']));

const compareRecords = (a: RecordModel, b: RecordModel, sort: readonly SortKey[]): number => {
  for (const key of sort) {
    const order = compareBy(a, b, key);
    if (order !== 0) return order;
  }
  const closing = createdAt(a) - createdAt(b) || compareCodePoints(a.id, b.id);
  return sort.at(-1)?.direction === 'desc' ? -closing : closing;
};

const wordsOf = (query: string | undefined): readonly string[] =>
  (query ?? '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .map(normalizeForSearch);

/** The ids that a search must return, in order, computed in the simplest way. */
export const expectedIds = (
  records: readonly RecordModel[],
  fieldIndex: FieldIndex,
  question: Question,
): readonly string[] => {
  const filters = accepted((errors) => parseFilters(question.filters, fieldIndex, errors));
  const sort =
    question.sort === undefined
      ? defaultSort(fieldIndex, 'updated_at')
      : accepted((errors) => parseSort(question.sort, fieldIndex, 'updated_at', errors));
  const words = wordsOf(question.query);
  return records
    .filter(
      (record) =>
        (question.pipeline_id === undefined || record.wire['pipeline_id'] === question.pipeline_id) &&
        (question.stage_id === undefined || record.wire['stage_id'] === question.stage_id) &&
        words.every((word) => record.searched.some((text) => text.includes(word))) &&
        (filters === null || matchesFilter(filters, (field) => filteredValueOf(record, field))),
    )
    .sort((a, b) => compareRecords(a, b, sort))
    .map(({ id }) => id);
};
