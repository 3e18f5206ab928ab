import { type Condition, conditionsOf, hasNoIndex } from './filter/conditions.js';
import { labelRanking, pageKeys } from './order/label-ranking.js';
import { type Part, partSql, partsOf } from './order/parts.js';
import type { KeySql } from './order/sort-keys.js';
import { isReadByPipeline, type PageRequest } from './page-request.js';
import { Parameters } from './parameters.js';
import { isOfEmptySlot } from './plans/empty-slot.js';
import { filterByValue } from './plans/merge-values.js';

/** Ways to read a page in page order. Reading stops when the page is full. */
type OrderedRead = 'in-order' | 'merge-pipelines' | 'merge-values' | 'label-order' | 'empty-slot';

/** Whether a step applies to the number of records in the pipeline, or in all pipelines. */
export interface SizeRange {
  readonly recordsFrom: number;
  /** Exclusive; may be infinite. */
  readonly recordsBelow: number;
}

/** One way to read a page. `plans/<read>.ts` generates its SQL. */
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

/** How one part of a page is read: in one statement, whatever the number of steps. */
export interface PartPlan {
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
export const orderedReadFrom = 1_000_000;

const words: readonly Step[] = [{ read: 'scan-next', records: scannedForWords }, { read: 'sort-matches' }];

const indexedFilter: readonly Step[] = [
  { read: 'sort-few', records: fewMatches },
  { read: 'scan-next', records: scannedForFilters },
  { read: 'sort-matches' },
];

/**
 * With at most 10,000 records no step follows, because `scan-next` has read them all. The bound is half of the 20,000 scanned records, so
 * that deletions between the scan and the count do not hide unread records.
 */
const otherFilter = (ordered: OrderedRead): readonly Step[] => [
  { read: 'scan-next', records: scannedForFilters },
  { read: 'sort-matches', onlyIf: { recordsFrom: scannedForFilters / 2 + 1, recordsBelow: orderedReadFrom } },
  { read: ordered, onlyIf: { recordsFrom: orderedReadFrom, recordsBelow: Infinity } },
];

/** The way to read in page order: value by value or pipeline by pipeline if the index starts with the value or the pipeline. */
const orderedRead = (request: PageRequest, keys: readonly KeySql[]): OrderedRead => {
  if (filterByValue(request, keys) !== null) return 'merge-values';
  return isReadByPipeline(request) ? 'merge-pipelines' : 'in-order';
};

/** Whether one ordered statement is best: an index serves all conditions and continues in page order, or no index has the page order. */
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
  // If the sort key has no index, finding the records without a value means reading all records.
  if (pageOrder[0]?.isIndexed !== true) return only(ordered);
  return { part, name: 'other-filter', steps: otherFilter(ordered) };
};

/**
 * Plans how to read a page. It is a pure function of the request. `run-plan.ts` runs the plan, and `crm explain` prints it.
 *
 * | Plan            | Chosen for                                        | Steps                           | Index          | Buffers    |
 * | --------------- | ------------------------------------------------- | ------------------------------- | -------------- | ---------- |
 * | in-order        | no condition, or one whose index continues in the | in-order                        | sort key       | 13–58      |
 * |                 | order; a sort without an index, or of several keys|                                 | none           | 166,500    |
 * | merge-pipelines | the same if no pipeline is named (up to 200)      | merge-pipelines                 | sort key       | 24–110     |
 * | merge-values    | `in` on an indexed field, or a stage, pipeline or | merge-values                    | field, order   | 30–69;     |
 * |                 | owner by its label (up to 200 branches)           |                                 |                | all: 172   |
 * | label-order     | a sort by stage, pipeline or owner, with at most  | label-order                     | id, creation   | 15–114     |
 * |                 | a filter on the same label                        |                                 |                |            |
 * | empty-slot      | the records without a value, after those with one,| empty-slot                      | empty slots    | 88–93 with |
 * |                 | in a sort by an indexed custom field              |                                 |                | both parts |
 * | words           | `q`, or a part of a name, domain or email         | scan-next 5,000                 | sort key       | 45–1,570   |
 * |                 |                                                   |                                 |                | all: 6,063 |
 * |                 |                                                   | sort-matches                    | trigrams       | 1,043–6,799|
 * | indexed-filter  | all others with an index for some condition:      | sort-few, at most 2,000         | the field's own| 16–1,203   |
 * |                 | a range under another sort, several fields        | scan-next 20,000                | sort key       | 1,622–7,423|
 * |                 |                                                   | sort-matches                    | the fields'    | 22,264     |
 * | other-filter    | no index for any condition: a custom field without| scan-next 20,000                | sort key       | 57–295     |
 * |                 | a slot, `or`, `not`, `neq`, a two-character word  | sort-matches, if below 1,000,000| none           | 195,049    |
 * |                 |                                                   | in-order or merge-pipelines     | sort key       |            |
 *
 * - Buffers: the 8 KB pages read for one page of 50 records among one million opportunities, cached or not, in this step and all steps
 *   before it. `all` is a page of all pipelines. `npm run bench:plans` measures them. `docs/query-plans.md` lists every request shape,
 *   also with ten thousand opportunities. Plans of one step read about the same number of buffers at both sizes, except a sort without
 *   an index and pages with a rare value. 7,423 buffers take 6 ms, 22,264 take 30 ms and 195,049 take 810 ms.
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
  const keys = pageKeys(request, new Parameters());
  return partsOf(request, keys).map((part) => planPart(request, part, keys));
};
