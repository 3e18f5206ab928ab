import { matchesFilter, type SortDirection, sortKey } from '@crm/domain';
import { idsOfMatchingLabels, type LabelField, labelField } from '../fields/label-field.js';
import { conjuncts } from '../filter/filter-sql.js';
import { isReadByPipeline, type PageRequest } from '../page-request.js';
import { Parameters, scopeOf } from '../parameters.js';
import { type KeySql, sortKeysSql } from './sort-keys.js';

/** An order by labels of the organization's setup. `plans/label-order.ts` reads it id by id. */
export interface LabelRanking {
  readonly column: LabelField['column'];
  readonly direction: SortDirection;
  /** The sort key of each label by its id, for all ids or for those that a filter allows. */
  readonly labels: ReadonlyMap<string, string>;
}

/** The ranking of a request. Null if the request does not sort by a label alone, or has conditions other than one filter on that label. */
export const labelRanking = (request: PageRequest): LabelRanking | null => {
  const { setup, words, stageId, filters, sort, pipelineId } = request;
  const [key, second] = sort;
  const field = key === undefined ? null : labelField(setup, key.field);
  if (key === undefined || field === null || second !== undefined || words.length > 0 || stageId !== null) return null;
  // The index on owners starts with the pipeline. So a request that names no pipeline must be read pipeline by pipeline.
  if (field.column === 'owner_id' && pipelineId === null && !isReadByPipeline(request)) return null;
  const labels = [...field.labels].map(([id, label]) => [id, sortKey(label)] as const);
  const ranking = { column: field.column, direction: key.direction };
  const [leaf, other] = conjuncts(filters);
  if (leaf === undefined) return { ...ranking, labels: new Map(labels) };
  const isOwn = leaf.kind === 'leaf' && labelField(setup, leaf.field)?.column === field.column;
  if (!isOwn || other !== undefined || matchesFilter(leaf, () => null)) return null;
  const matching = new Set(idsOfMatchingLabels(field, leaf));
  return { ...ranking, labels: new Map(labels.filter(([id]) => matching.has(id))) };
};

/** The sort keys of a ranking. The first one, `rank_key`, is a column of the subselect in `plans/label-order.ts`. */
export const rankingKeys = (request: PageRequest, { column, direction }: LabelRanking): readonly KeySql[] => {
  const [, ...closing] = sortKeysSql(scopeOf(request, new Parameters()), request.sort);
  const rankKey = { expression: 'r.rank_key', presence: `r.${column}`, type: 'text', nullable: true } as const;
  return [{ ...rankKey, direction, isIndexed: true }, ...closing];
};

/** The sort keys of a page. */
export const pageKeys = (request: PageRequest, parameters: Parameters): readonly KeySql[] => {
  const ranking = labelRanking(request);
  return ranking === null ? sortKeysSql(scopeOf(request, parameters), request.sort) : rankingKeys(request, ranking);
};
