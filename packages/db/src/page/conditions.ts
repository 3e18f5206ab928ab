import type { FilterLeaf, FilterNode, Operator } from '@crm/domain';
import { type Branches, conjuncts, isOrderBehind, valueBranches } from './branches.js';
import { fieldSql } from './field-sql.js';
import { catalogField, type FilterScope, filterSql, relatedIdsSql } from './filter-sql.js';
import type { PageRequest } from './page-request.js';
import { Parameters } from './parameters.js';
import { type RelatedField, relatedField } from './related-field.js';
import type { KeySql } from './sort-sql.js';
import { hasTrigram, isSearchedText, partsToSearch, wordSql } from './text-parts.js';

/** How to count the records that meet a condition, no further than to a bound, at the cost of a few pages of its index. */
export interface Counting {
  /** The parts to count one by one, in place of the condition; null where it is one part of an index itself. */
  readonly branches: Branches | null;
  /** The order of the index behind the condition or its branches. Asked for, it keeps the planner from other ways. */
  readonly order: string;
}

/** How an index helps to find the records that meet a condition. */
interface Access {
  /** Null where no B-tree leads straight to the records. */
  readonly counting: Counting | null;
  /** That index goes on in the order wanted: the first records of it can be taken and no others be read. */
  readonly isInOrder: boolean;
  /** The trigram index leads to them, all at once. */
  readonly isSearched: boolean;
}

/** Something that the records of a page must meet. */
export interface Condition extends Access {
  /** The condition on the record `r`; what it binds goes to the scope's parameters. */
  sql(scope: FilterScope): string;
}

const unaided: Access = { counting: null, isInOrder: false, isSearched: false };

/** Whether no index helps at all. */
export const isUnaided = ({ counting, isSearched }: Access): boolean => counting === null && !isSearched;

/** In the order of creation, which every table has an index of. */
export const byCreation = { order: 'r.created_at, r.id' };

const ranges: ReadonlySet<Operator> = new Set<Operator>(['between', 'gt', 'gte', 'lt', 'lte']);
const negations: ReadonlySet<Operator> = new Set<Operator>(['neq', 'not_in', 'not_contains', 'empty', 'not_empty']);

const countedByValue = (branches: Branches | null): Counting | null =>
  branches === null ? null : { branches, ...byCreation };

const relatedAccess = (
  { catalog, objectType }: PageRequest,
  leaf: FilterLeaf,
  related: RelatedField,
  keys: readonly KeySql[],
): Access => {
  if (negations.has(leaf.operator)) return unaided;
  if (leaf.operator === 'eq' && related.field.isUnique) {
    const isInOrder = isOrderBehind(`r.${related.key}`, true, keys);
    return { ...unaided, counting: { branches: null, ...byCreation }, isInOrder };
  }
  const branches: Branches = {
    condition: `r.${related.key} = by_value.value`,
    from: (parameters) => `(${relatedIdsSql({ catalog, objectType, parameters }, leaf, related)}) AS by_value (value)`,
    count: 1,
  };
  return { ...unaided, counting: countedByValue(branches) };
};

const leafAccess = (request: PageRequest, leaf: FilterLeaf, keys: readonly KeySql[]): Access => {
  const { catalog, objectType } = request;
  const { operator } = leaf;
  const related = relatedField(objectType, leaf);
  if (related !== null && catalogField(catalog, leaf.field) === null)
    return relatedAccess(request, leaf, related, keys);
  const scope = { catalog, objectType, parameters: new Parameters() };
  const branches = valueBranches(scope, leaf);
  if (branches !== null) return { ...unaided, counting: countedByValue(branches) };
  // Only the form of the field is looked at; what it binds is thrown away.
  const field = fieldSql(catalog, objectType, leaf.field, scope.parameters);
  if (field.form !== 'scalar' || catalogField(catalog, leaf.field) !== null) return unaided;
  const isSearched = isSearchedText(objectType, leaf);
  const isIndexed = field.isIndexed || field.expression === 'r.id';
  const isRange = ranges.has(operator);
  if (!isIndexed || !(isRange || operator === 'eq')) return { ...unaided, isSearched };
  const counting = { branches: null, ...(isRange ? { order: field.key } : byCreation) };
  return { counting, isInOrder: isOrderBehind(field.key, !isRange, keys), isSearched };
};

/** What the records of a page must meet, beside the organization and the pipeline, under the order of `keys`. */
export const conditionsOf = (request: PageRequest, keys: readonly KeySql[]): readonly Condition[] => {
  const { stageId, words, filters } = request;
  const stage: Condition[] = [];
  if (stageId !== null)
    stage.push({
      ...unaided,
      counting: { branches: null, ...byCreation },
      isInOrder: isOrderBehind('r.stage_id', true, keys),
      sql: ({ parameters }) => `r.stage_id = ${parameters.add(stageId)}::uuid`,
    });
  const accesses = conjuncts(filters).map(
    (node) => [node, node.kind === 'leaf' ? leafAccess(request, node, keys) : unaided] as const,
  );
  const searched = accesses.flatMap(([node, { isSearched }]) => (isSearched && node.kind === 'leaf' ? [node] : []));
  const toSearch = new Set<FilterNode>(partsToSearch(searched));
  const isOther = ([node, access]: readonly [FilterNode, Access]): boolean =>
    isUnaided(access) || (access.counting === null && access.isSearched && !toSearch.has(node));
  const others = accesses.filter(isOther).map(([node]) => node);
  return [
    ...stage,
    ...words.map((word) => ({
      ...unaided,
      isSearched: hasTrigram(word),
      sql: ({ parameters }: FilterScope) => wordSql('r', word, parameters),
    })),
    ...accesses
      .filter((access) => !isOther(access))
      .map(([node, access]) => ({ ...access, sql: (scope: FilterScope) => filterSql(scope, node) })),
    // Together, parts of one text are looked for at once.
    ...(others.length === 0
      ? []
      : [{ ...unaided, sql: (scope: FilterScope) => filterSql(scope, { kind: 'and', nodes: others }) }]),
  ];
};
