import { type Bound, preparedLimitTo, limitTo } from '../bound.js';
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

/** FROM and WHERE of a step. The alias `r` is the table or a subselect of it. */
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

/**
 * Whether to prepare the statement. Default lists have few different texts. Statements with filters or words are planned for their values.
 */
const isFixedShape = ({ words, filters, selection, sort }: PageRequest): boolean =>
  words.length === 0 &&
  filters === null &&
  selection.isDefault &&
  sort.length === 1 &&
  sort[0]?.field.source === 'system';

/** The SQL for the rows of a page. */
export interface PageSql {
  /** `SELECT record, key_1, key_2 …` in the order of the part, without a limit. */
  readonly page: string;
  /** Adds the limit. */
  readonly bound: Bound;
  /** The placeholder of the limit. */
  readonly count: string;
  /** All sort keys. */
  readonly keys: readonly KeySql[];
  /** Whether the statement is prepared and its plan cached. */
  readonly isPrepared: boolean;
}

/** Generates the SQL of one step for one part. Each file of this folder shows examples. */
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
  // Two indexes can serve the records without the key. Which one is better depends on the position, so no plan is cached.
  const isPrepared = isFixedShape(request) && part !== 'absent';
  const count = parameters.add(rows);
  const bound = isPrepared ? preparedLimitTo(rows, count) : limitTo(count);
  // `label-order` generates its own condition on the position.
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
  // `scan-next` returns rows in order. Its doc comment says why ORDER BY must not be repeated.
  const orderBy = step.read === 'scan-next' ? '' : ` ORDER BY ${orderBySql(order)}`;
  const page = `SELECT /* ${step.read} */ ${[record, ...columns].join(', ')} ${source}${orderBy}`;
  return { page, bound, count, keys, isPrepared };
};
