import { orderBySql } from '../order.js';
import type { PartPlan, Step } from '../plan.js';
import { emptySlotSql } from './empty-slot.js';
import { inOrderSql, labelOrderSql, unionPipelinesSql, unionValuesSql } from './in-page-order.js';
import { fewMatches, pipelineSizeSql, scanNextSql, sortMatchesSql } from './matches.js';

/** A step with one FROM and WHERE. */
type SourceStep = Exclude<Step, { readonly read: 'sort-few' }>;

/** FROM and WHERE of each kind of step. The alias `r` is the table or a subselect of it. */
const sources = {
  'in-order': inOrderSql,
  'union-pipelines': unionPipelinesSql,
  'union-values': unionValuesSql,
  'label-order': labelOrderSql,
  'empty-slot': emptySlotSql,
  'sort-matches': sortMatchesSql,
} as const;

/** `SELECT record, key_1 …` in page order, with the limit of the page. */
const selectSql = (plan: PartPlan, read: Step['read'], source: string): string => {
  const { part, own, keys, limit } = plan;
  const columns = keys.map((key, index) => {
    const expression = part === 'absent' && index === 0 ? `NULL::${key.type}` : key.expression;
    return `${expression} AS key_${index + 1}`;
  });
  // `scan-next` returns rows in order. Its doc comment says why ORDER BY must not be repeated.
  const orderBy = read === 'scan-next' ? '' : ` ORDER BY ${orderBySql(own.order)}`;
  return `SELECT /* ${read} */ ${[`${plan.record} AS record`, ...columns].join(', ')} ${source}${orderBy} LIMIT ${limit}`;
};

const stepSql = (plan: PartPlan, step: SourceStep): string =>
  selectSql(plan, step.read, step.read === 'scan-next' ? scanNextSql(plan, step.records) : sources[step.read](plan));

/** One part of the union, and the conditions under which the server runs it. */
interface Gated {
  readonly select: string;
  readonly gates: readonly string[];
}

const gated = ({ select, gates }: Gated): string =>
  gates.length === 0 ? select : `SELECT * FROM (${select}) p WHERE ${gates.join(' AND ')}`;

const recordsFrom = (step: Step): number => ('onlyIf' in step ? step.onlyIf.recordsFrom : 0);

const sizeGates = (step: Step): string[] => {
  if (!('onlyIf' in step)) return [];
  const { recordsFrom: from, recordsBelow: below } = step.onlyIf;
  const size = '(SELECT records FROM size)';
  return [`${size} >= ${from}`, ...(below === Infinity ? [] : [`${size} < ${below}`])];
};

/**
 * Several steps in one statement, each with a condition on the steps before it. These conditions refer to no row, so the server checks
 * them once, before it runs a step: "One-Time Filter" in its plan.
 *
 * - `few`: the number of the condition whose matches are few, counting from 1; 0 if there is none
 * - `scanned_1` …: the result of each `scan-next`
 * - `size`: the number of records in the pipeline, counted only if the page depends on it
 *
 * Example: the steps of one value under another sort. FEW, SCANNED and SORTED stand for the SQL of `sort-few`, `scan-next` and
 * `sort-matches`; COUNT for that of `fewMatches`:
 *
 * ```sql
 * WITH few AS MATERIALIZED (SELECT CASE WHEN COUNT <= 2000 THEN 1 ELSE 0 END AS condition),
 *      scanned_2 AS MATERIALIZED (SELECT * FROM (SCANNED) p WHERE (SELECT condition FROM few) = 0)
 * (SELECT * FROM (FEW) p WHERE (SELECT condition FROM few) = 1)
 * UNION ALL (SELECT * FROM (SELECT * FROM scanned_2) p WHERE (SELECT condition FROM few) = 0 AND (SELECT count(*) FROM scanned_2) = 51)
 * UNION ALL (SELECT * FROM (SORTED) p WHERE (SELECT condition FROM few) = 0 AND (SELECT count(*) FROM scanned_2) < 51)
 * ```
 */
const inStepsSql = (plan: PartPlan): string => {
  const { steps, limit } = plan;
  const tables: string[] = [];
  const parts: Gated[] = [];
  // What is true if no step before applies.
  const before: string[] = [];
  for (const [index, step] of steps.entries()) {
    const scanned = `scanned_${index + 1}`;
    if (step.read === 'sort-few') {
      const found = fewMatches(plan, step.records);
      const cases = found.map(({ count }, place) => `WHEN ${count} <= ${step.records} THEN ${place + 1}`);
      tables.push(`few AS MATERIALIZED (SELECT CASE ${cases.join(' ')} ELSE 0 END AS condition)`);
      for (const [place, { source }] of found.entries())
        parts.push({
          select: selectSql(plan, step.read, source),
          gates: [...before, `(SELECT condition FROM few) = ${place + 1}`],
        });
      before.push('(SELECT condition FROM few) = 0');
    } else if (step.read === 'scan-next') {
      tables.push(`${scanned} AS MATERIALIZED (${gated({ select: stepSql(plan, step), gates: [...before] })})`);
      const isFull = `(SELECT count(*) FROM ${scanned}) = ${limit}`;
      const smallest = Math.min(...steps.slice(index + 1).map(recordsFrom));
      const gate = smallest === 0 ? isFull : `(${isFull} OR (SELECT records FROM size) < ${smallest})`;
      parts.push({ select: `SELECT * FROM ${scanned}`, gates: [...before, gate] });
      before.push(`(SELECT count(*) FROM ${scanned}) < ${limit}`);
    } else {
      parts.push({ select: stepSql(plan, step), gates: [...before, ...sizeGates(step)] });
    }
  }
  const most = Math.max(...steps.map(recordsFrom));
  if (most > 0) tables.push(`size AS MATERIALIZED (SELECT ${pipelineSizeSql(plan, most)} AS records)`);
  return `WITH ${tables.join(', ')} ${parts.map((part) => `(${gated(part)})`).join(' UNION ALL ')}`;
};

/**
 * Generates the SQL of one part: `SELECT record, key_1, key_2 …` with the limit; in the order of the part, if it has one step. The
 * functions of this folder show examples.
 */
export const pageSql = (plan: PartPlan): string => {
  const [only, ...others] = plan.steps;
  if (only === undefined || only.read === 'sort-few' || others.length > 0) return inStepsSql(plan);
  return stepSql(plan, only);
};
