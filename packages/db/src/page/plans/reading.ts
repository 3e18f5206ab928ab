import type { CursorPosition } from '@crm/domain';
import { tables } from '../fields/record-sql.js';
import { orderBySql } from '../order/order-by.js';
import type { PartSql } from '../order/parts.js';
import type { PageRequest } from '../page-request.js';
import type { SqlScope } from '../parameters.js';
import type { TableRead } from './branches.js';

/** The input of a plan's SQL generator: one part of a page, up to a row limit. */
export interface Reading {
  readonly request: PageRequest;
  readonly part: PartSql;
  /** Where the page starts within the part. `part` has the condition for it. */
  readonly position: CursorPosition | null;
  /** The most rows to read. It is part of the SQL: for a parameter, the planner assumes a tenth of all rows. */
  readonly limit: number;
  readonly scope: SqlScope;
}

/** The condition on the pipeline of the request, if it names one. */
export const pipelineSql = ({ request: { pipelineId }, scope }: Pick<Reading, 'request' | 'scope'>): string[] =>
  pipelineId === null ? [] : [`r.pipeline_id = ${scope.parameters.add(pipelineId)}::uuid`];

/** The condition on the part's empty slot, if it has one. */
export const emptySlotCondition = ({ part: { emptySlot } }: Reading): string[] =>
  emptySlot === null ? [] : [`${emptySlot} IS NULL`];

/** The conditions on every record of a part: organization, part, cursor position and pipeline. */
export const partConditions = (reading: Reading): string[] => [
  'r.organization_id = $1',
  ...reading.part.conditions,
  ...emptySlotCondition(reading),
  ...pipelineSql(reading),
];

/** A read of the request's table in the part's order, with some conditions. */
export const tableRead = ({ request, part, limit }: Reading, where: readonly string[]): TableRead => ({
  table: tables[request.objectType],
  where,
  order: orderBySql(part.order),
  limit,
});
