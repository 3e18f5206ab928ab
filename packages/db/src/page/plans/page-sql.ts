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
import { inStepsSql, type SourceStep } from './in-steps.js';
import { inOrderSql } from './in-order.js';
import { labelOrderSql } from './label-order.js';
import { mergePipelinesSql } from './merge-pipelines.js';
import { mergeValuesSql } from './merge-values.js';
import type { Reading } from './reading.js';
import { scanNextSql } from './scan-next.js';
import { sortMatchesSql } from './sort-matches.js';

/** FROM and WHERE of a step. The alias `r` is the table or a subselect of it. */
const sourceSql = (reading: Reading, step: SourceStep): string => {
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

/** The SQL for the rows of a page. */
export interface PageSql {
  /** `SELECT record, key_1, key_2 …` with the limit; in the order of the part, if it has one step. */
  readonly page: string;
  /** All sort keys. */
  readonly keys: readonly KeySql[];
}

/** Generates the SQL of one part. Each file of this folder shows examples. */
export const pageSql = (
  request: PageRequest,
  part: Part,
  steps: readonly Step[],
  limit: number,
  parameters: Parameters,
): PageSql => {
  const keys = pageKeys(request, parameters);
  const own = partSql(part, keys);
  const position = positionIn(part, request.position);
  const [only, ...others] = steps;
  // `label-order` generates its own condition on the position.
  const after =
    position === null || only?.read === 'label-order' ? [] : [afterPositionSql(own.keys, position, parameters)];
  const placed = { ...own, conditions: [...own.conditions, ...after] };
  const reading = { request, part: placed, position, limit, scope: scopeOf(request, parameters) };
  const columns = keys.map((key, index) => {
    const expression = part === 'absent' && index === 0 ? `NULL::${key.type}` : key.expression;
    return `${expression} AS key_${index + 1}`;
  });
  const record = `${recordSql(request.objectType, request.selection, parameters)} AS record`;
  const selectOf = (from: SourceStep | string): string => {
    const { read, source } =
      typeof from === 'string'
        ? { read: 'sort-few', source: from }
        : { read: from.read, source: sourceSql(reading, from) };
    // `scan-next` returns rows in order. Its doc comment says why ORDER BY must not be repeated.
    const orderBy = read === 'scan-next' ? '' : ` ORDER BY ${orderBySql(own.order)}`;
    return `SELECT /* ${read} */ ${[record, ...columns].join(', ')} ${source}${orderBy} LIMIT ${limit}`;
  };
  const isOneRead = only !== undefined && only.read !== 'sort-few' && others.length === 0;
  return { page: isOneRead ? selectOf(only) : inStepsSql(reading, steps, selectOf), keys };
};
