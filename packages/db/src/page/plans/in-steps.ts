import type { Step } from '../plan.js';
import { pipelineSizeSql } from './counts.js';
import type { Reading } from './reading.js';
import { fewMatches } from './sort-few.js';

/** Generates `SELECT record, key_1 …` in page order, with the limit of the page, from FROM and WHERE or for a step. */
export type SelectOf = (from: SourceStep | string) => string;

/** A step with one FROM and WHERE. */
export type SourceStep = Exclude<Step, { readonly read: 'sort-few' }>;

/** One part of the union, and the conditions under which the server runs it. */
interface Gated {
  readonly select: string;
  readonly gates: readonly string[];
}

const gated = ({ select, gates }: Gated): string =>
  gates.length === 0 ? select : `SELECT * FROM (${select}) p WHERE ${gates.join(' AND ')}`;

/**
 * Several steps in one statement, each with a condition on the steps before it. These conditions refer to no row, so the server checks
 * them once, before it runs a step: "One-Time Filter" in its plan.
 *
 * - `few`: the number of the condition whose matches are few, counting from 1; 0 if there is none
 * - `scanned`: the result of `scan-next`
 * - `size`: the number of records in the pipeline, counted only if the page depends on it
 *
 * Example: the steps of a range under another sort. FEW, SCANNED and SORTED stand for the SQL of `sort-few`, `scan-next` and
 * `sort-matches`; COUNT for that of `counts.ts`:
 *
 * ```sql
 * WITH few AS MATERIALIZED (SELECT CASE WHEN COUNT <= 2000 THEN 1 ELSE 0 END AS condition),
 *      scanned AS MATERIALIZED (SELECT * FROM (SCANNED) p WHERE (SELECT condition FROM few) = 0)
 * (SELECT * FROM (FEW) p WHERE (SELECT condition FROM few) = 1)
 * UNION ALL (SELECT * FROM (SELECT * FROM scanned) p WHERE (SELECT count(*) FROM scanned) = 51)
 * UNION ALL (SELECT * FROM (SORTED) p WHERE (SELECT condition FROM few) = 0 AND (SELECT count(*) FROM scanned) < 51)
 * ```
 */
export const inStepsSql = (reading: Reading, steps: readonly Step[], selectOf: SelectOf): string => {
  const { request, limit, scope } = reading;
  const tables: string[] = [];
  const parts: Gated[] = [];
  // What is true if no step before applies.
  const before: string[] = [];
  for (const [index, step] of steps.entries()) {
    if (step.read === 'sort-few') {
      const found = fewMatches(reading, step.records);
      const cases = found.map(({ count }, place) => `WHEN ${count} <= ${step.records} THEN ${place + 1}`);
      tables.push(`few AS MATERIALIZED (SELECT CASE ${cases.join(' ')} ELSE 0 END AS condition)`);
      for (const [place, { source }] of found.entries())
        parts.push({ select: selectOf(source), gates: [`(SELECT condition FROM few) = ${place + 1}`] });
      before.push('(SELECT condition FROM few) = 0');
    } else if (step.read === 'scan-next') {
      tables.push(`scanned AS MATERIALIZED (${gated({ select: selectOf(step), gates: [...before] })})`);
      const isFull = `(SELECT count(*) FROM scanned) = ${limit}`;
      const smallest = Math.min(...steps.slice(index + 1).map((later) => recordsFrom(later)));
      const gate = smallest === 0 ? isFull : `(${isFull} OR (SELECT records FROM size) < ${smallest})`;
      parts.push({ select: 'SELECT * FROM scanned', gates: [gate] });
      before.push(`(SELECT count(*) FROM scanned) < ${limit}`);
    } else {
      parts.push({ select: selectOf(step), gates: [...before, ...sizeGates(step)] });
    }
  }
  const most = Math.max(...steps.map(recordsFrom));
  if (most > 0) tables.push(`size AS MATERIALIZED (SELECT ${pipelineSizeSql(request, most, scope)} AS records)`);
  return `WITH ${tables.join(', ')} ${parts.map((part) => `(${gated(part)})`).join(' UNION ALL ')}`;
};

const recordsFrom = (step: Step): number => ('onlyIf' in step ? (step.onlyIf?.recordsFrom ?? 0) : 0);

const sizeGates = (step: Step): string[] => {
  if (!('onlyIf' in step) || step.onlyIf === undefined) return [];
  const { recordsFrom: from, recordsBelow: below } = step.onlyIf;
  const size = '(SELECT records FROM size)';
  return [`${size} >= ${from}`, ...(below === Infinity ? [] : [`${size} < ${below}`])];
};
