import {
  type FilterLeaf,
  type FilterNode,
  type FilterScalar,
  hasSeveralLinks,
  matchesFilter,
  type Operator,
} from '@crm/domain';
import { hasTrigram, isDecidedByKey, isSearchedText, partsToSearch, relatedIdsSql, wordSql } from './comparison.js';
import { fieldSql, idsOfMatchingLabels, labelField, type RelatedField, relatedField } from './fields.js';
import { conjuncts, filterSql } from './filter-sql.js';
import { idsOfContactsSql } from './of-contact.js';
import { continuesInOrder, type KeySql } from './order.js';
import type { PageRequest } from './page-request.js';
import type { Parameters, SqlScope } from './parameters.js';

/**
 * A condition that a record's column equals one of a few values. After each value, an index continues in page order. So at most one
 * page is read per value, and the results are merged. For `column = ANY (…)`, PostgreSQL would read all matches and sort them.
 */
export interface Branches {
  /** The condition on `r`, which refers to a column of {@link from}. */
  readonly condition: string;
  /** The values as an item of FROM. */
  readonly from: string;
  readonly count: number;
}

/** Branches by the values of one expression. */
export interface ValueBranches extends Branches {
  readonly expression: string;
  readonly type: string;
  readonly values: readonly FilterScalar[];
  /** The values as an SQL array. */
  readonly list: string;
}

/** A condition that every record of a page must meet, and how indexes help to find its matches. */
export interface Condition {
  /** The condition on the record `r`, in a form that an index can find. */
  readonly sql: string;
  /** The condition on a record that is read anyway, if it has another form. */
  readonly check?: string;
  /**
   * The order in which its B-tree index continues after the condition; null if no B-tree index finds the matches. Matches are counted in
   * this order, so that the planner uses that index.
   */
  readonly countingOrder: string | null;
  /** The branches to count one by one, in place of the condition; null if the condition is one range of an index. */
  readonly branches: Branches | ValueBranches | null;
  /** Whether that index continues in page order, so that its first matches are the page. */
  readonly isInOrder: boolean;
  /** Whether the trigram index finds the matches. It returns all of them, in no order. */
  readonly isSearched: boolean;
}

type IndexUse = Omit<Condition, 'sql' | 'check'>;

const noIndex: IndexUse = { countingOrder: null, branches: null, isInOrder: false, isSearched: false };

/** Whether no index finds the matches of a condition. */
export const hasNoIndex = ({ countingOrder, isSearched }: IndexUse): boolean => countingOrder === null && !isSearched;

/** The order in which the index of a column continues after a fixed value. Some columns have a second index with another order. */
export const creationOrder = 'r.created_at, r.id';

/** The most branches (values, pipelines or both) that one statement merges. */
export const maxBranches = 200;

const ranges: ReadonlySet<Operator> = new Set(['between', 'gt', 'gte', 'lt', 'lte']);
const negations: ReadonlySet<Operator> = new Set(['neq', 'not_in', 'not_contains', 'empty', 'not_empty']);

/** One branch for each value that a comparison allows. Returns null if no index serves them. */
const valueBranches = (scope: SqlScope, leaf: FilterLeaf): ValueBranches | null => {
  const branchesOf = (expression: string, type: string, values: readonly FilterScalar[]): ValueBranches | null => {
    if (values.length > maxBranches) return null;
    const list = `${scope.parameters.add(values)}::${type}[]`;
    const from = `unnest(${list}) AS by_value (value)`;
    return { expression, type, values, list, from, condition: `${expression} = by_value.value`, count: values.length };
  };
  const byLabel = labelField(scope.setup, leaf.field);
  if (byLabel !== null) {
    // Any comparison of a label becomes a list of ids. If it also matches records without an id, no branch would contain those.
    const holdsForNone = matchesFilter(leaf, () => null);
    return holdsForNone ? null : branchesOf(`r.${byLabel.column}`, 'uuid', idsOfMatchingLabels(byLabel, leaf));
  }
  if (leaf.operator !== 'in' || !Array.isArray(leaf.value)) return null;
  const field = fieldSql(scope, leaf.field);
  const isReadable = field.form === 'scalar' && field.isIndexed && isDecidedByKey(leaf, field);
  return isReadable && field.type !== 'timestamptz' ? branchesOf(field.key, field.type, leaf.value) : null;
};

const relatedUse = (
  { parameters }: SqlScope,
  leaf: FilterLeaf,
  related: RelatedField,
  keys: readonly KeySql[],
): IndexUse => {
  if (negations.has(leaf.operator)) return noIndex;
  const column = `r.${related.key}`;
  if (leaf.operator === 'eq' && related.isUnique) {
    return { ...noIndex, countingOrder: creationOrder, isInOrder: continuesInOrder(column, true, keys) };
  }
  const from = `(${relatedIdsSql([leaf], related, parameters)}) AS by_value (value)`;
  const branches: Branches = { condition: `${column} = by_value.value`, from, count: 1 };
  return { ...noIndex, countingOrder: creationOrder, branches };
};

/** Whether a filter selects opportunities by their contacts. Their ids are looked up first, then each opportunity by its id. */
const isOfContacts = (node: FilterNode): node is FilterLeaf =>
  node.kind === 'leaf' && node.operator === 'in' && hasSeveralLinks(node.field);

const ofContactsUse = (leaf: FilterLeaf, parameters: Parameters): IndexUse => {
  const from = `(${idsOfContactsSql(leaf, parameters)}) AS by_id (value)`;
  return { ...noIndex, countingOrder: creationOrder, branches: { condition: 'r.id = by_id.value', from, count: 1 } };
};

/** The SQL of a condition that an index serves. */
const servedSql = (scope: SqlScope, node: FilterNode): Pick<Condition, 'sql' | 'check'> => {
  const check = filterSql(scope, node);
  return isOfContacts(node)
    ? { sql: `r.id = ANY (ARRAY(${idsOfContactsSql(node, scope.parameters)}))`, check }
    : { sql: check };
};

const leafUse = (scope: SqlScope, leaf: FilterLeaf, keys: readonly KeySql[]): IndexUse => {
  if (hasSeveralLinks(leaf.field)) return isOfContacts(leaf) ? ofContactsUse(leaf, scope.parameters) : noIndex;
  const byLabel = labelField(scope.setup, leaf.field);
  const related = relatedField(scope.objectType, leaf);
  if (related !== null) return relatedUse(scope, leaf, related, keys);
  const values = valueBranches(scope, leaf);
  if (values !== null) return { ...noIndex, countingOrder: creationOrder, branches: values };
  const field = fieldSql(scope, leaf.field);
  if (field.form !== 'scalar' || byLabel !== null) return noIndex;
  const isSearched = isSearchedText(scope.objectType, leaf);
  const isIndexed = field.isIndexed || field.expression === 'r.id';
  const isRange = ranges.has(leaf.operator);
  if (!isIndexed || !(isRange || leaf.operator === 'eq')) return { ...noIndex, isSearched };
  const isInOrder = continuesInOrder(field.key, !isRange, keys);
  return { countingOrder: isRange ? field.key : creationOrder, branches: null, isInOrder, isSearched };
};

const filterConditions = (
  scope: SqlScope,
  filters: FilterNode | null,
  keys: readonly KeySql[],
): readonly Condition[] => {
  const parts = conjuncts(filters).map((node) => ({
    node,
    use: node.kind === 'leaf' ? leafUse(scope, node, keys) : noIndex,
  }));
  const searched = parts.flatMap(({ node, use }) => (use.isSearched && node.kind === 'leaf' ? [node] : []));
  const toSearch = new Set<FilterNode>(partsToSearch(searched));
  const isServed = ({ node, use }: (typeof parts)[number]): boolean =>
    use.countingOrder !== null || (use.isSearched && toSearch.has(node));
  const served = parts.filter(isServed).map(({ node, use }) => ({ ...use, ...servedSql(scope, node) }));
  // All others form one condition, so that comparisons with parts of the same text are combined.
  const others = parts.filter((part) => !isServed(part)).map(({ node }) => node);
  if (others.length === 0) return served;
  return [...served, { ...noIndex, sql: filterSql(scope, { kind: 'and', nodes: others }) }];
};

/**
 * The conditions on the records of a page besides organization and pipeline: the stage, each word, and each part of the filters. Each
 * says which index serves it and whether that index continues in the order of `keys`.
 */
export const conditionsOf = (
  scope: SqlScope,
  { stageId, words, filters }: Pick<PageRequest, 'stageId' | 'words' | 'filters'>,
  keys: readonly KeySql[],
): readonly Condition[] => {
  const conditions: Condition[] = [];
  if (stageId !== null) {
    const sql = `r.stage_id = ${scope.parameters.add(stageId)}::uuid`;
    const isInOrder = continuesInOrder('r.stage_id', true, keys);
    conditions.push({ ...noIndex, countingOrder: creationOrder, isInOrder, sql });
  }
  for (const word of words)
    conditions.push({ ...noIndex, isSearched: hasTrigram(word), sql: wordSql('r', word, scope.parameters) });
  return [...conditions, ...filterConditions(scope, filters, keys)];
};
