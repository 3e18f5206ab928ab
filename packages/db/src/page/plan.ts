import {
  type Branches,
  type Condition,
  conditionsOf,
  creationOrder,
  hasNoIndex,
  maxBranches,
  type ValueBranches,
} from './conditions.js';
import { tables } from './fields.js';
import { joinLists } from './filter-sql.js';
import {
  continuesInOrder,
  type KeySql,
  type LabelRanking,
  labelRanking,
  pageKeys,
  type Part,
  partOrder,
  type PartOrder,
  partsOf,
} from './order.js';
import type { PageRequest } from './page-request.js';
import { Parameters, type SqlScope } from './parameters.js';
import { recordSql } from './record.js';

/** Ways to read a page in page order. Reading stops when the page is full. */
type OrderedRead = 'in-order' | 'union-pipelines' | 'union-values' | 'label-order' | 'empty-slot';

/** Whether a step applies to the number of records in the pipeline, or in all pipelines. */
export interface SizeRange {
  readonly recordsFrom: number;
  /** Exclusive; may be infinite. */
  readonly recordsBelow: number;
}

/** One way to read a page. `plans` has its SQL. */
export type Step =
  /** Reads a number of records in page order. */
  | { readonly read: 'scan-next'; readonly records: number }
  /** Applies if a condition of the request has at most this many matches. */
  | { readonly read: 'sort-few'; readonly records: number }
  | {
      readonly read: OrderedRead | 'sort-matches';
      /** Absent: it always applies. */
      readonly onlyIf?: SizeRange;
    };

/** What the SQL of all parts of a page is made of. */
interface PageScope extends SqlScope {
  readonly request: PageRequest;
  readonly table: string;
  /** The record as JSON text. */
  readonly record: string;
  /** The conditions on organization and pipeline. */
  readonly place: readonly string[];
  /** One branch for each pipeline if the request names none, because the indexes of opportunities start with the pipeline. */
  readonly pipelines: readonly Branches[];
  /** All sort keys. */
  readonly keys: readonly KeySql[];
  readonly ranking: LabelRanking | null;
  /** The most rows to read. It is part of the SQL: for a parameter, the planner assumes a tenth of all rows. */
  readonly limit: number;
}

/** A condition that is read value by value. */
type ByValue = Condition & { readonly branches: ValueBranches };

/** How one part of a page is read: in one statement, whatever the number of steps. */
export interface PartPlan extends PageScope, PartSteps {
  /** Its own order, and where it starts. */
  readonly own: PartOrder;
  readonly filtered: readonly Condition[];
  /** The first of {@link filtered} that can be read value by value in page order. */
  readonly byValue: ByValue | null;
}

/** The steps of one part of a page. */
export interface PartSteps {
  readonly part: Part;
  readonly name: OrderedRead | 'words' | 'indexed-filter' | 'other-filter';
  /**
   * The page comes from the first step that applies. `scan-next` applies if it fills the page, or if no later step applies. The server
   * does not run what comes after that step.
   */
  readonly steps: readonly Step[];
}

const scannedForWords = 5_000;
const scannedForFilters = 20_000;
const fewMatches = 2_000;

/**
 * In the plan `other-filter`, a pipeline with at least this many records is read in page order until the page is full. A pipeline with
 * 10,001 to 999,999 records is read in a sequential scan instead. That takes half as long as reading all its records in page order, and
 * PostgreSQL runs it in two processes. Both reads run only if `scan-next` did not fill the page.
 */
const orderedReadFrom = 1_000_000;

const words: readonly Step[] = [{ read: 'scan-next', records: scannedForWords }, { read: 'sort-matches' }];

const indexedFilter: readonly Step[] = [
  { read: 'sort-few', records: fewMatches },
  { read: 'scan-next', records: scannedForFilters },
  { read: 'sort-matches' },
];

/** The records that are scanned before counting. They fill a page if one in six matches. */
const scannedFirst: Step = { read: 'scan-next', records: 300 };

/** Whether ranges alone decide which of the next records match. Values that are equal to a given one are rarer, so they are counted first. */
const hasOnlyRanges = (filtered: readonly Condition[]): boolean => {
  const equalities = filtered.filter(({ countingOrder }) => countingOrder === creationOrder);
  return equalities.every(({ isInOrder }) => isInOrder) && equalities.length <= 1;
};

/**
 * With at most 10,000 records no step follows, because `scan-next` has read them all. The bound is half of the 20,000 scanned records, so
 * that deletions between the scan and the count do not hide unread records.
 */
const otherFilter = (ordered: OrderedRead): readonly Step[] => [
  { read: 'scan-next', records: scannedForFilters },
  { read: 'sort-matches', onlyIf: { recordsFrom: scannedForFilters / 2 + 1, recordsBelow: orderedReadFrom } },
  { read: ordered, onlyIf: { recordsFrom: orderedReadFrom, recordsBelow: Infinity } },
];

/** The organization's pipelines, read by the statement itself because a cached setup may lack the newest one. */
export const pipelineIdsSql = 'SELECT p.id FROM pipelines p WHERE p.organization_id = $1';

/** The conditions on organization and pipeline. */
export const placeOf = ({ pipelineId }: PageRequest, parameters: Parameters): readonly string[] => [
  'r.organization_id = $1',
  ...(pipelineId === null ? [] : [`r.pipeline_id = ${parameters.add(pipelineId)}::uuid`]),
];

/** With more than {@link maxBranches} pipelines there are no branches, and the planner chooses how to read. */
const pipelinesOf = ({ setup, objectType, pipelineId }: PageRequest): readonly Branches[] => {
  const count = setup.pipelines.length;
  if (pipelineId !== null || objectType !== 'opportunity' || count === 0 || count > maxBranches) return [];
  const from = `(${pipelineIdsSql}) AS by_pipeline (value)`;
  return [{ condition: 'r.pipeline_id = by_pipeline.value', from, count }];
};

const pageScope = (request: PageRequest): PageScope => {
  const { setup, objectType, limit, selection } = request;
  const scope = { setup, objectType, parameters: new Parameters() };
  const pipelines = pipelinesOf(request);
  const ranking = labelRanking(request, pipelines.length > 0);
  return {
    ...scope,
    request,
    table: tables[objectType],
    record: recordSql(objectType, selection, scope.parameters, scope.setup.memberEmails),
    place: placeOf(request, scope.parameters),
    pipelines,
    keys: pageKeys(scope, request, ranking),
    ranking,
    limit: limit + 1,
  };
};

const byValueOf = ({ pipelines }: PageScope, { keys }: PartOrder, conditions: readonly Condition[]): ByValue | null => {
  const isReadable = (condition: Condition): condition is ByValue =>
    condition.branches !== null &&
    'expression' in condition.branches &&
    continuesInOrder(condition.branches.expression, true, keys);
  const found = conditions.find(isReadable);
  return found === undefined || found.branches.count * (pipelines[0]?.count ?? 1) > maxBranches ? null : found;
};

/**
 * Whether one ordered statement is best: an index serves all conditions and continues in page order, or no index has the order of the
 * part. The part `absent` is in `created_at` order, which always has an index, so this looks at the keys of the part and not at those of
 * the request.
 */
const isOrdered = ({ request, own, filtered, byValue }: Omit<PartPlan, keyof PartSteps>): boolean => {
  const [only, ...others] = filtered;
  if (request.sort.length > 1 || own.keys[0]?.isIndexed !== true || only === undefined) return true;
  return others.length === 0 && (only.isInOrder || byValue !== null);
};

const planPart = (scope: PageScope, part: Part): PartPlan => {
  const { request, keys, ranking, parameters, pipelines } = scope;
  const own = partOrder(part, keys, request, parameters);
  const filtered = conditionsOf(scope, request, own.keys);
  const resolved = { ...scope, own, filtered, byValue: byValueOf(scope, own, filtered) };
  const plan = (name: PartPlan['name'], steps: readonly Step[]): PartPlan => ({ ...resolved, part, name, steps });
  const only = (read: OrderedRead): PartPlan => plan(read, [{ read }]);
  if (own.emptySlot !== null && filtered.length === 0) return only('empty-slot');
  if (ranking !== null && part === 'present') return only('label-order');
  // Value by value or pipeline by pipeline, if the index starts with the value or the pipeline.
  const unordered = pipelines.length > 0 ? 'union-pipelines' : 'in-order';
  const ordered = resolved.byValue === null ? unordered : 'union-values';
  if (ranking !== null || isOrdered(resolved)) return only(ordered);
  if (filtered.some(({ isSearched }) => isSearched)) return plan('words', words);
  if (!filtered.every(hasNoIndex))
    return plan('indexed-filter', hasOnlyRanges(filtered) ? [scannedFirst, ...indexedFilter] : indexedFilter);
  // No index finds the records without a value of a sort key without an index, so a scan of the next records would read all records.
  if (part === 'absent' && keys[0]?.isIndexed !== true) return only(ordered);
  return plan('other-filter', otherFilter(ordered));
};

/** A request with joined lists of values. */
export const withJoinedLists = (request: PageRequest): PageRequest =>
  request.filters === null ? request : { ...request, filters: joinLists(request.filters) };

/**
 * Plans how to read a page. It is a pure function of the request. `list-page.ts` runs the plan, and `crm explain` prints it.
 *
 * | Plan            | Chosen for                                        | Steps                           | Index          | Buffers    |
 * | --------------- | ------------------------------------------------- | ------------------------------- | -------------- | ---------- |
 * | in-order        | no condition, or one whose index continues in the | in-order                        | sort key       | 13–58      |
 * |                 | order; a sort without an index, or of several keys|                                 | none           | 166,500    |
 * | union-pipelines | the same if no pipeline is named (up to 200)      | union-pipelines                 | sort key       | 24–110     |
 * | union-values    | `in` on an indexed field, or a stage, pipeline or | union-values                    | field, order   | 30–69;     |
 * |                 | owner by its label (up to 200 branches)           |                                 |                | all: 172   |
 * | label-order     | a sort by stage, pipeline or owner, with at most  | label-order                     | id, creation   | 15–114     |
 * |                 | a filter on the same label                        |                                 |                |            |
 * | empty-slot      | the records without a value, after those with one,| empty-slot                      | empty slots    | 88–93 with |
 * |                 | in a sort by an indexed custom field              |                                 |                | both parts |
 * | words           | `q`, or a part of a name, domain or email         | scan-next 5,000                 | sort key       | 45–1,570   |
 * |                 |                                                   |                                 |                | all: 6,063 |
 * |                 |                                                   | sort-matches                    | trigrams       | 1,043–6,799|
 * | indexed-filter  | all others with an index for some condition:      | scan-next 300, for ranges       | sort key       | 24–131     |
 * |                 | a range under another sort, several fields        | sort-few, at most 2,000         | the field's own| 16–1,203   |
 * |                 |                                                   | scan-next 20,000                | sort key       | 2,610–7,729|
 * |                 |                                                   | sort-matches                    | the fields'    | 22,570     |
 * | other-filter    | no index for any condition: a custom field without| scan-next 20,000                | sort key       | 57–295     |
 * |                 | a slot, `or`, `not`, `neq`, a two-character word  | sort-matches, if below 1,000,000| none           | 195,049    |
 * |                 |                                                   | in-order or union-pipelines     | sort key       |            |
 *
 * - Buffers: the 8 KB pages read for one page of 50 records among one million opportunities, cached or not, in this step and all steps
 *   before it. `all` is a page of all pipelines. `npm run bench:plans` measures them. `docs/query-plans.md` shows more requests,
 *   also with ten thousand opportunities. Plans of one step read about the same number of buffers at both sizes, except a sort without
 *   an index and pages with a rare value. 7,729 buffers take 6 ms, 22,570 take 30 ms and 195,049 take 810 ms.
 * - Index: every index starts with the organization and the pipeline, followed by this column. After a sort key come `created_at, id`.
 *   `packages/db/sql/README.md` lists all indexes.
 * - "Up to" limits what one statement merges. A request beyond the limit gets the next plan that fits.
 * - The steps of a plan are one statement. The server runs only those up to the one that applies.
 * - A page that starts among records with the sort key and ends among records without it has a plan for each part.
 * - `sort-matches` of `other-filter` is for pipelines of 10,001 to 999,999 records. In smaller ones, `scan-next` has read all records.
 *
 * @returns the plan of each part that may contribute records to the page, see {@link Part}
 */
export const planPage = (request: PageRequest): readonly PartPlan[] => {
  const scope = pageScope(withJoinedLists(request));
  return partsOf(scope.request, scope.keys).map((part) => planPart(scope, part));
};
