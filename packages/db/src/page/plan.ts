import { type Condition, conditionsOf, hasNoIndex } from './filter/conditions.js';
import { labelRanking, pageKeys } from './order/label-ranking.js';
import { type Part, partSql, partsOf } from './order/parts.js';
import type { KeySql } from './order/sort-keys.js';
import { isReadByPipeline, type PageRequest } from './page-request.js';
import { Parameters } from './parameters.js';
import { isOfEmptySlot } from './plans/empty-slot.js';
import { filterByValue } from './plans/merge-values.js';

/** Ways to read a page in one statement, in the order of the page: an index stops them when the page is full. */
type OrderedRead = 'in-order' | 'merge-pipelines' | 'merge-values' | 'label-order' | 'empty-slot';

/** A condition on a step, which a statement of its own decides. */
export type Check =
  /** Whether one condition of the request has at most so many matches. */
  | { readonly matchesAtMost: number }
  /** Whether the pipeline, or all pipelines together, have so many records. */
  | { readonly recordsFrom: number; readonly recordsBelow?: number };

/** One way to read a page, which `plans/<read>.ts` turns into SQL. */
export type Step = (
  { readonly read: OrderedRead | 'sort-matches' } | { readonly read: 'scan-next'; readonly records: number }
) & {
  /** Absent: the step is always taken. */
  readonly onlyIf?: Check;
};

/** How one part of a page is read. */
export interface PartPlan {
  readonly part: Part;
  readonly name: OrderedRead | 'words' | 'indexed-filter' | 'other-filter';
  /** Taken in order until the page is full, or until one other than `scan-next` has been taken. */
  readonly steps: readonly Step[];
}

const scannedForWords = 5_000;
const scannedForFilters = 20_000;
const fewMatches = 2_000;

/**
 * In a pipeline with fewer records, reading all of them as they lie takes half as long as reading them in order, and two processes
 * of the server share it. In a larger one, no more records are read than the page needs.
 */
export const readWhole = 1_000_000;

const words: readonly Step[] = [{ read: 'scan-next', records: scannedForWords }, { read: 'sort-matches' }];

const indexedFilter: readonly Step[] = [
  { read: 'sort-matches', onlyIf: { matchesAtMost: fewMatches } },
  { read: 'scan-next', records: scannedForFilters },
  { read: 'sort-matches' },
];

/** The scan has read all records of a small pipeline. Some may be gone since, hence half of what it reads. */
const otherFilter = (ordered: OrderedRead): readonly Step[] => [
  { read: 'scan-next', records: scannedForFilters },
  { read: 'sort-matches', onlyIf: { recordsFrom: scannedForFilters / 2 + 1, recordsBelow: readWhole } },
  { read: ordered, onlyIf: { recordsFrom: readWhole } },
];

/** Reads in order: value by value or pipeline by pipeline if the indexes start with them. */
const orderedRead = (request: PageRequest, keys: readonly KeySql[]): OrderedRead => {
  if (filterByValue(request, keys) !== null) return 'merge-values';
  return isReadByPipeline(request) ? 'merge-pipelines' : 'in-order';
};

/** Whether one statement in order is the best way: an index continues in the order after all conditions, or no index has the order. */
const isOrdered = (request: PageRequest, keys: readonly KeySql[], conditions: readonly Condition[]): boolean => {
  if (request.sort.length > 1 || keys[0]?.isIndexed !== true || conditions.length === 0) return true;
  return (
    conditions.length === 1 && (conditions[0]?.isInOrder === true || filterByValue(request, keys)?.rest.length === 0)
  );
};

const planPart = (request: PageRequest, part: Part, pageOrder: readonly KeySql[]): PartPlan => {
  const only = (read: OrderedRead): PartPlan => ({ part, name: read, steps: [{ read }] });
  const own = partSql(part, pageOrder);
  if (isOfEmptySlot(request, own)) return only('empty-slot');
  const ranking = labelRanking(request);
  if (ranking !== null && part === 'present') return only('label-order');
  const ordered = orderedRead(request, own.keys);
  const conditions = conditionsOf(request, own.keys);
  if (ranking !== null || isOrdered(request, own.keys, conditions)) return only(ordered);
  if (conditions.some(({ isSearched }) => isSearched)) return { part, name: 'words', steps: words };
  if (!conditions.every(hasNoIndex)) return { part, name: 'indexed-filter', steps: indexedFilter };
  // Records without a key that has no index are found by reading all of them.
  if (pageOrder[0]?.isIndexed !== true) return only(ordered);
  return { part, name: 'other-filter', steps: otherFilter(ordered) };
};

/**
 * How to read a page. A pure function of the request, without I/O: `run-plan.ts` runs what it returns, and `crm explain` prints it.
 *
 * | Plan            | Chosen for                                        | Steps                           | Index          | Buffers    |
 * | --------------- | ------------------------------------------------- | ------------------------------- | -------------- | ---------- |
 * | in-order        | no condition, or one whose index continues in the | in-order                        | sort key       | 13–58      |
 * |                 | order; a sort without an index, or of several keys|                                 | none           | 182,600    |
 * | merge-pipelines | the same if no pipeline is named (up to 200)      | merge-pipelines                 | sort key       | 24–110     |
 * | merge-values    | `in` on an indexed field, or a stage, pipeline or | merge-values                    | field, order   | 30–69;     |
 * |                 | owner by its label (up to 200 branches)           |                                 |                | all: 171   |
 * | label-order     | a sort by stage, pipeline or owner, with at most  | label-order                     | id, creation   | 15–114     |
 * |                 | a filter on the same label                        |                                 |                |            |
 * | empty-slot      | the records without a value, after those with one,| empty-slot                      | empty slots    | 88–93 with |
 * |                 | in a sort by an indexed custom field              |                                 |                | both parts |
 * | words           | `q`, or a part of a name, domain or email         | scan-next 5,000                 | sort key       | 45–1,570   |
 * |                 |                                                   | sort-matches                    | trigrams       | 1,043–6,799|
 * | indexed-filter  | all others with an index for some condition:      | sort-matches, if <= 2,000 match | the field's own| 16–1,203   |
 * |                 | a range under another sort, several fields        | scan-next 20,000                | sort key       | 1,624–7,425|
 * |                 |                                                   | sort-matches                    | the fields'    | 22,264     |
 * | other-filter    | no index for any condition: a custom field without| scan-next 20,000                | sort key       | 57–295     |
 * |                 | a slot, `or`, `not`, `neq`, a two-character word  | sort-matches, if below 1,000,000| none           | 195,049    |
 * |                 |                                                   | in-order or merge-pipelines     | sort key       |            |
 *
 * - Buffers are the 8 KB pages that one page of 50 reads with one million opportunities, cached or not, for all steps up to that one.
 *   `npm run bench:plans` measures them; `docs/query-plans.md` has every shape, and the same with ten thousand opportunities: the
 *   plans of one step do not grow, but for a sort without an index. 7,425 buffers take 6 ms, 22,264 take 30, 195,049 take 810.
 * - Indexes start with the organization, then the pipeline, then what the column says; a sort key is followed by `created_at, id`.
 *   `packages/db/sql/README.md` lists them all.
 * - "Up to" bounds what one statement merges; beyond it the next plan that fits is chosen.
 * - A page that reaches from records with a sort key to records without one has a plan for each part.
 * - `sort-matches` of `other-filter` is for pipelines of 10,001 to 999,999 records: of fewer, all have been read by then.
 *
 * @returns the plan of each part that the page may have records of, see {@link Part}
 */
export const planPage = (request: PageRequest): readonly PartPlan[] => {
  const keys = pageKeys(request, new Parameters());
  return partsOf(request, keys).map((part) => planPart(request, part, keys));
};
