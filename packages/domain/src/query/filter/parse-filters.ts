import type { ErrorCollector } from '../../errors.js';
import { fail, ok, type Result } from '../../result.js';
import { runAtOnce, type Steps } from '../../steps.js';
import { type FieldIndex, unknownFieldText } from '../field-index.js';
import { partsOf, resolveField, type FieldRef } from '../field-ref.js';
import { quote } from '../quote.js';
import { parseComparison } from './comparison.js';
import { equalityOperators, filterKindOf, findOperator, operators, operatorsFor, type Operator } from './operators.js';
import type { FilterNode } from './tree.js';

/** The maximum number of comparisons in one request. Each whole day in a list of instants counts as one. */
export const maxFilterLeaves = 50;

/** The deepest nesting of nodes. A node of the outermost list, or a single outermost node, is at depth 1. */
export const maxFilterDepth = 5;

/** State shared by all nodes of one request, including how many comparisons it has used. */
interface Walk {
  readonly fieldIndex: FieldIndex;
  readonly errors: ErrorCollector;
  leaves: number;
}

/**
 * Reads `filters`: a list of nodes that must all match, or one node; each `{and: […]}`, `{or: […]}`, `{not: node}` or
 * `{field, operator, value}`. Checks names and types and converts values to comparison form.
 * @param input what the request carried; null, undefined and an empty list mean no filter
 * @returns the tree, or null if there is no filter or an error. Errors are on paths such as
 * `filters[2].operator`, `filters.and[0].value` and `filters[0].value[3]`, all of them at once. Checking stops at the
 * first comparison past the limit.
 */
export function* filterSteps(input: unknown, fieldIndex: FieldIndex, errors: ErrorCollector): Steps<FilterNode | null> {
  if (input === undefined || input === null) return null;
  const walk: Walk = { fieldIndex, errors, leaves: 0 };
  if (!Array.isArray(input)) return yield* parseNode(input, 'filters', 1, walk);
  return input.length === 0 ? null : yield* parseGroup('and', input, 'filters', 1, walk);
}

/** Runs {@link filterSteps} at once. */
export const parseFilters = (input: unknown, fieldIndex: FieldIndex, errors: ErrorCollector): FilterNode | null =>
  runAtOnce(filterSteps(input, fieldIndex, errors));

/** Counts comparisons, and also invalid nodes, which take as much work. @returns whether the limit allows them */
const isWithinAllowance = (walk: Walk, count = 1): boolean => {
  walk.leaves += count;
  if (walk.leaves <= maxFilterLeaves) return true;
  walk.errors.addLimit('filters', `must have at most ${maxFilterLeaves} comparisons`);
  return false;
};

const refuse = (walk: Walk, path: string, message: string): null => {
  if (isWithinAllowance(walk)) walk.errors.add(path, message);
  return null;
};

const shapeMessage = 'must be an object with exactly one of: and, or, not, or field with operator and value';

function* parseNode(input: unknown, path: string, depth: number, walk: Walk): Steps<FilterNode | null> {
  if (depth > maxFilterDepth) return refuse(walk, path, `must not be nested deeper than ${maxFilterDepth}`);
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return refuse(walk, path, shapeMessage);
  const node = input as Readonly<Record<string, unknown>>;
  // Typed clients send the keys of all four shapes, with null in the unused ones.
  const keys = Object.keys(node).filter((key) => node[key] !== null);
  const group = keys.find((key) => key === 'and' || key === 'or' || key === 'not');
  if (group === undefined) return yield* parseComparisonNode(node, path, walk);
  if (keys.length > 1) return refuse(walk, path, shapeMessage);
  const child = node[group];
  const childPath = `${path}.${group}`;
  if (group === 'not') {
    const negated = yield* parseNode(child, childPath, depth + 1, walk);
    return negated === null ? null : { kind: 'not', node: negated };
  }
  if (!Array.isArray(child) || child.length === 0) {
    return refuse(walk, childPath, 'must be a list of at least one node');
  }
  return yield* parseGroup(group === 'and' ? 'and' : 'or', child, childPath, depth + 1, walk);
}

function* parseGroup(
  kind: 'and' | 'or',
  input: readonly unknown[],
  path: string,
  depth: number,
  walk: Walk,
): Steps<FilterNode | null> {
  const nodes: FilterNode[] = [];
  for (const [index, child] of input.entries()) {
    const node = yield* parseNode(child, `${path}[${index}]`, depth, walk);
    if (node !== null) nodes.push(node);
    if (walk.leaves > maxFilterLeaves) return null;
  }
  const [first] = nodes;
  if (first === undefined) return null;
  // A group of one node becomes that node, so that both spellings share their cursors.
  return nodes.length === 1 ? first : { kind, nodes };
}

function* parseComparisonNode(
  node: Readonly<Record<string, unknown>>,
  path: string,
  walk: Walk,
): Steps<FilterNode | null> {
  if (!isWithinAllowance(walk)) return null;
  const parsed = yield* parseLeaf(node, path, walk.fieldIndex, walk.errors);
  if (parsed === null) return null;
  return isWithinAllowance(walk, countLeaves(parsed) - 1) ? parsed : null;
}

const countLeaves = (node: FilterNode): number => {
  if (node.kind === 'leaf') return 1;
  if (node.kind === 'not') return countLeaves(node.node);
  return node.nodes.reduce((sum, child) => sum + countLeaves(child), 0);
};

const maxUnknownKeys = 5;
const maxKeyLength = 60;

/**
 * Reads one `{field, operator, value}`.
 * @param path its path, as in `filters[2]`; errors add `.field`, `.operator` or `.value`
 * @returns null after an error
 */
function* parseLeaf(
  node: Readonly<Record<string, unknown>>,
  path: string,
  fieldIndex: FieldIndex,
  errors: ErrorCollector,
): Steps<FilterNode | null> {
  const { field: fieldName, operator: operatorName, value, ...others } = node;
  // The keys of groups can only be null here, which means absent.
  const unknownKeys = Object.keys(others).filter((key) => key !== 'and' && key !== 'or' && key !== 'not');
  for (const key of unknownKeys.slice(0, maxUnknownKeys)) {
    errors.add(`${path}.${key.slice(0, maxKeyLength)}`, 'unknown key: a comparison has field, operator and value');
  }
  const field = errors.read(`${path}.field`, parseField(fieldName, fieldIndex, errors));
  const operator = errors.read(`${path}.operator`, parseOperator(operatorName));
  if (field === undefined || operator === undefined) return null;
  const kind = filterKindOf(field);
  if (!operatorsFor(kind).includes(operator)) {
    errors.add(`${path}.operator`, unfit(operator, field, String(fieldName)));
    return null;
  }
  return yield* parseComparison(
    { field: comparedField(field, operator), kind, operator, path: `${path}.value` },
    value,
    errors,
  );
}

const parseField = (input: unknown, fieldIndex: FieldIndex, errors: ErrorCollector): Result<FieldRef> => {
  if (typeof input !== 'string') return fail('must name a field');
  const field = resolveField(fieldIndex, input);
  if (field === null) return fail(unknownFieldText(fieldIndex, input, errors));
  const isFilterable = field.source !== 'system' || field.field.filterable;
  return isFilterable ? ok(field) : fail(`cannot filter by ${quote(input)}`);
};

/** The field, compared exactly if it is a key and the operator compares whole values. */
const comparedField = (field: FieldRef, operator: Operator): FieldRef =>
  field.source === 'system' && field.field.isExact && equalityOperators.includes(operator)
    ? { ...field, isExact: true }
    : field;

const parseOperator = (input: unknown): Result<Operator> => {
  const operator = typeof input === 'string' ? findOperator(input) : null;
  return operator === null ? fail(`must be one of ${operators.join(', ')}`) : ok(operator);
};

const unfit = (operator: Operator, field: FieldRef, name: string): string => {
  const fitting = operatorsFor(filterKindOf(field)).join(', ');
  const parts = field.source === 'custom' && field.part === undefined ? partsOf(field.definition) : [];
  const hint = parts.length === 0 ? '' : `; its parts take more: ${parts.map((part) => `${name}.${part}`).join(', ')}`;
  return `must be an operator of ${quote(name)}, not ${operator}: ${fitting}${hint}`;
};
