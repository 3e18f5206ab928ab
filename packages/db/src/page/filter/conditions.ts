import type { FilterLeaf, FilterNode, Operator } from '@crm/domain';
import { labelField } from '../fields/label-field.js';
import { type RelatedField, relatedField } from '../fields/related-field.js';
import { fieldSql } from '../fields/resolve-field.js';
import { continuesInOrder } from '../order/order-by.js';
import type { KeySql } from '../order/sort-keys.js';
import type { PageRequest } from '../page-request.js';
import { Parameters, type SqlScope } from '../parameters.js';
import type { Branches } from '../plans/branches.js';
import { conjuncts, filterSql } from './filter-sql.js';
import { relatedIdsSql } from './related-comparison.js';
import { hasTrigram, isSearchedText, partsToSearch, wordSql } from './text-parts.js';
import { valueBranches } from './value-branches.js';

/** How to count the matches of a condition on its own index. */
export interface Counting {
  /** The branches to count one by one, in place of the condition; null if the condition is one range of an index. */
  readonly branches: Branches | null;
  /** The order in which the index continues after the condition. It goes into ORDER BY, so that the planner uses that index. */
  readonly order: string;
}

/** How indexes help to find the matches of a condition. */
interface IndexUse {
  /** Null if no B-tree index finds the matches. */
  readonly counting: Counting | null;
  /** Whether that index continues in page order, so that its first matches are the page. */
  readonly isInOrder: boolean;
  /** Whether the trigram index finds the matches. It returns all of them, in no order. */
  readonly isSearched: boolean;
}

/** A condition that every record of a page must meet. */
export interface Condition extends IndexUse {
  /** The condition on the record `r`. Its values become parameters of the scope. */
  sql(scope: SqlScope): string;
}

const noIndex: IndexUse = { counting: null, isInOrder: false, isSearched: false };

/** Whether no index finds the matches of a condition. */
export const hasNoIndex = ({ counting, isSearched }: IndexUse): boolean => counting === null && !isSearched;

/** The order in which the index of a column continues after a fixed value. Some columns have a second index with another order. */
export const creationOrder = 'r.created_at, r.id';

const ranges: ReadonlySet<Operator> = new Set<Operator>(['between', 'gt', 'gte', 'lt', 'lte']);
const negations: ReadonlySet<Operator> = new Set<Operator>(['neq', 'not_in', 'not_contains', 'empty', 'not_empty']);

const relatedUse = (
  { setup, objectType }: PageRequest,
  leaf: FilterLeaf,
  related: RelatedField,
  keys: readonly KeySql[],
): IndexUse => {
  if (negations.has(leaf.operator)) return noIndex;
  if (leaf.operator === 'eq' && related.field.isUnique) {
    const isInOrder = continuesInOrder(`r.${related.key}`, true, keys);
    return { ...noIndex, counting: { branches: null, order: creationOrder }, isInOrder };
  }
  const branches: Branches = {
    condition: `r.${related.key} = by_value.value`,
    from: (parameters) => `(${relatedIdsSql({ setup, objectType, parameters }, leaf, related)}) AS by_value (value)`,
    count: 1,
  };
  return { ...noIndex, counting: { branches, order: creationOrder } };
};

const leafUse = (request: PageRequest, leaf: FilterLeaf, keys: readonly KeySql[]): IndexUse => {
  const { setup, objectType } = request;
  const byLabel = labelField(setup, leaf.field);
  const related = relatedField(objectType, leaf);
  if (related !== null && byLabel === null) return relatedUse(request, leaf, related, keys);
  const branches = valueBranches(request, leaf);
  if (branches !== null) return { ...noIndex, counting: { branches, order: creationOrder } };
  // Only the form and indexes of the field matter here, so its parameters are discarded.
  const field = fieldSql({ setup, objectType, parameters: new Parameters() }, leaf.field);
  if (field.form !== 'scalar' || byLabel !== null) return noIndex;
  const isSearched = isSearchedText(objectType, leaf);
  const isIndexed = field.isIndexed || field.expression === 'r.id';
  const isRange = ranges.has(leaf.operator);
  if (!isIndexed || !(isRange || leaf.operator === 'eq')) return { ...noIndex, isSearched };
  const counting = { branches: null, order: isRange ? field.key : creationOrder };
  return { counting, isInOrder: continuesInOrder(field.key, !isRange, keys), isSearched };
};

const stageCondition = (stageId: string, keys: readonly KeySql[]): Condition => ({
  ...noIndex,
  counting: { branches: null, order: creationOrder },
  isInOrder: continuesInOrder('r.stage_id', true, keys),
  sql: ({ parameters }) => `r.stage_id = ${parameters.add(stageId)}::uuid`,
});

const wordCondition = (word: string): Condition => ({
  ...noIndex,
  isSearched: hasTrigram(word),
  sql: ({ parameters }) => wordSql('r', word, parameters),
});

const filterConditions = (request: PageRequest, keys: readonly KeySql[]): readonly Condition[] => {
  const parts = conjuncts(request.filters).map((node) => ({
    node,
    use: node.kind === 'leaf' ? leafUse(request, node, keys) : noIndex,
  }));
  const searched = parts.flatMap(({ node, use }) => (use.isSearched && node.kind === 'leaf' ? [node] : []));
  const toSearch = new Set<FilterNode>(partsToSearch(searched));
  const isServed = ({ node, use }: (typeof parts)[number]): boolean =>
    use.counting !== null || (use.isSearched && toSearch.has(node));
  // All others form one condition, so that comparisons with parts of the same text are combined.
  const others = parts.filter((part) => !isServed(part)).map(({ node }) => node);
  return [
    ...parts.filter(isServed).map(({ node, use }) => ({ ...use, sql: (scope: SqlScope) => filterSql(scope, node) })),
    ...(others.length === 0
      ? []
      : [{ ...noIndex, sql: (scope: SqlScope) => filterSql(scope, { kind: 'and', nodes: others }) }]),
  ];
};

/**
 * The conditions on the records of a page besides organization and pipeline: the stage, each word, and each part of the filters. Each
 * says which index serves it and whether that index continues in the order of `keys`.
 */
export const conditionsOf = (request: PageRequest, keys: readonly KeySql[]): readonly Condition[] => [
  ...(request.stageId === null ? [] : [stageCondition(request.stageId, keys)]),
  ...request.words.map(wordCondition),
  ...filterConditions(request, keys),
];
