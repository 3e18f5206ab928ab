import type { ErrorCollector } from '../../errors.js';
import type { Steps } from '../../steps.js';
import { type FieldRef, hasSeveralLinks } from '../field-ref.js';
import { parseOperand, type Operand } from './operand.js';
import type { FilterKind, Operator } from './operators.js';
import type { FilterLeaf, FilterNode, FilterScalar, FilterValue } from './tree.js';

/** The maximum number of entries in one list value. */
export const maxListValues = 200;

/** A comparison whose field and operator fit together, and the path of its value in the request. */
export interface Comparison {
  readonly field: FieldRef;
  readonly kind: FilterKind;
  readonly operator: Operator;
  /** Such as `filters[0].value`. */
  readonly path: string;
}

/**
 * Reads the value of a comparison and returns its node, usually a leaf. For a field of instants, a day means all its
 * instants: `eq` becomes `between`, `neq` its negation, `in` an `or`, and `gt`, `lt` and the like compare with the
 * day's start or end. Each value is a step: a list of international domains takes milliseconds.
 * @returns null after an error; errors are on the path of the value or of its entries
 */
export function* parseComparison(
  comparison: Comparison,
  input: unknown,
  errors: ErrorCollector,
): Steps<FilterNode | null> {
  const { kind, operator, path } = comparison;
  if (operator === 'empty' || operator === 'not_empty') return parsePresence(comparison, input, errors);
  if (input === undefined) {
    errors.add(path, `is required by the operator ${operator}`);
    return null;
  }
  if (operator === 'between') return yield* parseBetween(comparison, input, errors);
  const isSet = kind === 'option_set' || kind === 'member_set';
  if (listOperators.has(operator) || (isSet && operator === 'eq')) return yield* parseList(comparison, input, errors);
  const operand = readOne(comparison, input, path, errors);
  yield;
  return operand === undefined ? null : compareWith(comparison, operand);
}

const listOperators: ReadonlySet<Operator> = new Set(['in', 'not_in', 'contains_all', 'contains_none']);

/** The list operators that compare one value with each link of a record. */
const ofLinks: Readonly<Partial<Record<Operator, Operator>>> = { eq: 'in', neq: 'not_in' };

const leaf = ({ field }: Comparison, operator: Operator, value: FilterValue): FilterLeaf => {
  const list = hasSeveralLinks(field) ? ofLinks[operator] : undefined;
  return list === undefined
    ? { kind: 'leaf', field, operator, value }
    : { kind: 'leaf', field, operator: list, value: [value as FilterScalar] };
};

const isPoint = (operand: Operand): boolean => operand.low === operand.high;

const within = (comparison: Comparison, { low, high }: Operand): FilterLeaf => leaf(comparison, 'between', [low, high]);

const not = (node: FilterNode): FilterNode => ({ kind: 'not', node });

const readOne = ({ field, kind, operator }: Comparison, input: unknown, path: string, errors: ErrorCollector) =>
  errors.read(path, parseOperand(input, field, kind, operator));

function* readEach(
  comparison: Comparison,
  input: readonly unknown[],
  errors: ErrorCollector,
): Steps<readonly Operand[] | null> {
  const good: Operand[] = [];
  for (const [index, entry] of input.entries()) {
    const operand = readOne(comparison, entry, `${comparison.path}[${index}]`, errors);
    if (operand !== undefined) good.push(operand);
    yield;
  }
  return good.length === input.length ? good : null;
}

const parsePresence = (comparison: Comparison, input: unknown, errors: ErrorCollector): FilterNode | null => {
  if (input === undefined || input === null) return leaf(comparison, comparison.operator, null);
  errors.add(comparison.path, `must be absent: the operator ${comparison.operator} takes no value`);
  return null;
};

function* parseBetween(comparison: Comparison, input: unknown, errors: ErrorCollector): Steps<FilterNode | null> {
  if (!Array.isArray(input) || input.length !== 2) {
    errors.add(comparison.path, 'must be a list of two values, the lower one first');
    return null;
  }
  const [first, second] = (yield* readEach(comparison, input, errors)) ?? [];
  if (first === undefined || second === undefined) return null;
  if (first.low > second.high) {
    errors.add(comparison.path, 'must have the lower value first');
    return null;
  }
  return within(comparison, { low: first.low, high: second.high });
}

function* parseList(comparison: Comparison, input: unknown, errors: ErrorCollector): Steps<FilterNode | null> {
  if (!Array.isArray(input) || input.length === 0 || input.length > maxListValues) {
    errors.add(comparison.path, `must be a list of 1 to ${maxListValues} values`);
    return null;
  }
  const operands = yield* readEach(comparison, input, errors);
  if (operands === null) return null;
  const { operator } = comparison;
  const points = operands.filter(isPoint).map((operand) => operand.low);
  if (points.length === operands.length) return leaf(comparison, operator, inOrder(points));
  // Only `in` and `not_in` reach this line: fields with several values do not contain instants.
  const days = new Map(operands.filter((operand) => !isPoint(operand)).map((day) => [day.low, day]));
  const nodes: FilterNode[] = [...days.values()].sort(byLow).map((day) => within(comparison, day));
  if (points.length > 0) nodes.push(leaf(comparison, 'in', inOrder(points)));
  const [only] = nodes;
  const any: FilterNode = only !== undefined && nodes.length === 1 ? only : { kind: 'or', nodes };
  return operator === 'in' ? any : not(any);
}

const compareScalars = (a: FilterScalar, b: FilterScalar): number => (a < b ? -1 : a > b ? 1 : 0);

const byLow = (a: Operand, b: Operand): number => compareScalars(a.low, b.low);

/** Sorted and without duplicates. The order of a list has no meaning, so it must not change the cursor. */
const inOrder = (values: readonly FilterScalar[]): readonly FilterScalar[] => [...new Set(values)].sort(compareScalars);

const compareWith = (comparison: Comparison, operand: Operand): FilterNode => {
  const { operator } = comparison;
  if (!isPoint(operand) && operator === 'eq') return within(comparison, operand);
  if (!isPoint(operand) && operator === 'neq') return not(within(comparison, operand));
  return leaf(comparison, operator, operator === 'gt' || operator === 'lte' ? operand.high : operand.low);
};
