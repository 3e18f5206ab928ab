import { type Bound, keptLimitTo, limitTo } from '../bound.js';
import { recordSql } from '../fields/record-sql.js';
import { afterPositionSql } from '../order/after-position.js';
import { pageKeys } from '../order/label-ranking.js';
import { orderBySql } from '../order/order-by.js';
import { type Part, partSql, positionIn } from '../order/parts.js';
import type { KeySql } from '../order/sort-keys.js';
import type { PageRequest } from '../page-request.js';
import { type Parameters, scopeOf } from '../parameters.js';
import type { Step } from '../plan.js';
import { emptySlotSql } from './empty-slot.js';
import { inOrderSql } from './in-order.js';
import { labelOrderSql } from './label-order.js';
import { mergePipelinesSql } from './merge-pipelines.js';
import { mergeValuesSql } from './merge-values.js';
import type { Reading } from './reading.js';
import { scanNextSql } from './scan-next.js';
import { sortMatchesSql } from './sort-matches.js';

/** FROM and WHERE of a step. The source is called `r`, whether it is the table or a subselect of it. */
const sourceSql = (reading: Reading, step: Step): string => {
  switch (step.read) {
    case 'in-order':
      return inOrderSql(reading);
    case 'merge-pipelines':
      return mergePipelinesSql(reading);
    case 'merge-values':
      return mergeValuesSql(reading);
    case 'label-order':
      return labelOrderSql(reading);
    case 'empty-slot':
      return emptySlotSql(reading);
    case 'scan-next':
      return scanNextSql(reading, step.records);
    case 'sort-matches':
      return sortMatchesSql(reading);
  }
};

/** Whether a statement is prepared: the texts of default lists are few. A filter or a word is planned for its own values. */
const isFixedShape = ({ words, filters, selection, sort }: PageRequest): boolean =>
  words.length === 0 &&
  filters === null &&
  selection.isDefault &&
  sort.length === 1 &&
  sort[0]?.field.source === 'system';

/** The rows of a page as SQL. */
export interface PageSql {
  /** `SELECT record, key_1, key_2 …` in the order of the part, without its limit. */
  readonly page: string;
  /** Adds the limit. */
  readonly bound: Bound;
  /** The placeholder of the limit. */
  readonly count: string;
  /** The keys of the whole order. */
  readonly keys: readonly KeySql[];
  readonly isPrepared: boolean;
}

/** Generates the rows that a step reads of a part. Each file of this folder shows examples. */
export const pageSql = (
  request: PageRequest,
  part: Part,
  step: Step,
  rows: number,
  parameters: Parameters,
): PageSql => {
  const keys = pageKeys(request, parameters);
  const own = partSql(part, keys);
  const position = positionIn(part, request.position);
  // After a position among records without the key, the better of two indexes depends on how far the position is.
  const isPrepared = isFixedShape(request) && part !== 'absent';
  const count = parameters.add(rows);
  const bound = isPrepared ? keptLimitTo(rows, count) : limitTo(count);
  // A step by labels has its own condition on the position.
  const after =
    position === null || step.read === 'label-order' ? [] : [afterPositionSql(own.keys, position, parameters)];
  const { emptySlot, keys: order } = own;
  const placed = { conditions: [...own.conditions, ...after], emptySlot, keys: order };
  const source = sourceSql({ request, part: placed, position, bound, scope: scopeOf(request, parameters) }, step);
  const columns = keys.map((key, index) => {
    const expression = part === 'absent' && index === 0 ? `NULL::${key.type}` : key.expression;
    return `${expression} AS key_${index + 1}`;
  });
  const record = `${recordSql(request.objectType, request.selection, parameters)} AS record`;
  // The scan comes in order already.
  const orderBy = step.read === 'scan-next' ? '' : ` ORDER BY ${orderBySql(order)}`;
  const page = `SELECT /* ${step.read} */ ${[record, ...columns].join(', ')} ${source}${orderBy}`;
  return { page, bound, count, keys, isPrepared };
};
