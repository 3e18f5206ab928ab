import { isPercentile, type SummarySortKey } from '@crm/domain';
import type { TenantStatement } from '../database.js';
import { conditionsOf } from './conditions.js';
import { Parameters } from './parameters.js';
import { placeOf, withJoinedLists } from './plan.js';
import { matchConditions } from './plans/matches.js';
import type { SummaryRequest } from './summarize.js';
import { type GroupKeySql, groupKeySql } from './summary-group-sql.js';
import { type MeasureSql, measuresSql } from './summary-measure-sql.js';
import { SummaryValues } from './summary-values.js';

const named = (columns: readonly (readonly [name: string, sql: string])[]): string[] =>
  columns.map(([name, sql]) => `${sql} AS ${name}`);

const textArray = (items: readonly string[]): string => `ARRAY[${items.join(', ')}]::text[]`;

/** The kinds of rows in a summary: a group, the total of a currency (if currencies are separated), and the total of all records. */
export type SummaryRowKind = 'group' | 'currency' | 'total';

const kindSql = (kind: SummaryRowKind): string => `'${kind}'::text`;

/** The names and SQL of a summary's keys and measures. */
interface SummaryParts {
  readonly keys: readonly (GroupKeySql & { readonly name: string })[];
  readonly measures: readonly MeasureSql[];
  /** The name of the key that is the currency; null if currencies are not separated. */
  readonly currency: string | null;
}

/** The groups, and the rows of their totals. */
interface GroupsSql {
  /** The grouping of the records. */
  readonly groupBy: string;
  /** Columns in addition to keys, count and measures. */
  readonly columns: readonly string[];
  /** The condition on the rows of `groups` that are groups. */
  readonly isGroup: string;
  /** The totals as a query on `groups`. */
  readonly totals: string;
}

/** Groups whose totals are aggregated over `groups`: PostgreSQL reads the records in parallel. */
const summedGroups = ({ keys, measures, currency }: SummaryParts): GroupsSql => {
  const kind =
    currency === null ? kindSql('total') : `CASE grouping(${currency}) WHEN 1 THEN 'total' ELSE 'currency' END`;
  const columns = [
    `${kind} AS kind`,
    `${currency ?? 'NULL::text'} AS currency`,
    'coalesce(sum(size), 0) AS size',
    ...measures.flatMap((measure) => named(measure.totals)),
  ];
  return {
    groupBy: keys.length === 0 ? '' : `GROUP BY ${keys.map(({ name }) => name).join(', ')}`,
    columns: [],
    isGroup: 'true',
    totals: `SELECT ${columns.join(', ')} FROM groups ${currency === null ? '' : `GROUP BY GROUPING SETS ((${currency}), ())`}`,
  };
};

/**
 * Groups whose totals are aggregated over the records, as percentiles must be. Each row of `groups` has the level of its grouping set, a
 * bit for each key that it does not have. If the currency is the only key, the groups are the totals of the currencies.
 */
const levelledGroups = ({ keys, measures, currency }: SummaryParts): GroupsSql => {
  const names = keys.map(({ name }) => name);
  const sets = [...new Set([names.join(', '), currency ?? '', ''])].map((set) => `(${set})`);
  const all = 2 ** names.length - 1;
  const ofCurrency = currency === null ? all : all - 2 ** (names.length - 1 - names.indexOf(currency));
  const columns = measures.flatMap((measure) => measure.columns.map(([name]) => name));
  const kind = `CASE level WHEN ${all} THEN ${kindSql('total')} ELSE ${kindSql('currency')} END AS kind`;
  const shown = [kind, `${currency ?? 'NULL::text'} AS currency`, 'size', ...columns];
  return {
    groupBy: `GROUP BY GROUPING SETS (${sets.join(', ')})`,
    columns: [`${names.length === 0 ? '0' : `grouping(${names.join(', ')})`} AS level`],
    isGroup: 'level = 0',
    totals: `SELECT ${shown.join(', ')} FROM groups WHERE level IN (${all}, ${ofCurrency})`,
  };
};

/** What groups are sorted by. Without a sort, the largest come first. Groups with equal keys follow in that order. */
const orderOf = ({ keys, measures }: SummaryParts, sort: readonly SummarySortKey[]): string => {
  const sorted = sort.flatMap((key) => {
    const direction = key.direction === 'desc' ? ' DESC NULLS LAST' : '';
    if (key.by === 'count') return [`size${direction}`];
    const group = keys[key.index];
    const expressions =
      key.by === 'measure' ? [measures[key.index]?.number ?? ''] : group === undefined ? [] : group.order(group.name);
    return expressions.map((expression) => `${expression}${direction}`);
  });
  return [...sorted, 'size DESC', ...keys.map(({ name }) => name)].join(', ');
};

/**
 * The statement of a summary. It groups the matching records once, and then aggregates the groups for the totals.
 *
 * Example: `group_by: ["stage_id"]`, `measures: ["sum:amount"]` in one pipeline. The currency becomes part of the key:
 *
 * ```sql
 * WITH groups AS MATERIALIZED (
 *   SELECT key_1, key_2, count(*) AS size, sum(v_1) AS m_1
 *     FROM (SELECT r.stage_id AS key_1, r.currency COLLATE "C" AS key_2, r.amount::numeric AS v_1
 *             FROM opportunities r WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid) r GROUP BY key_1, key_2),
 * shown AS (
 *   SELECT g.*, row_number() OVER (ORDER BY size DESC, key_1, key_2) AS place
 *     FROM groups g WHERE true ORDER BY size DESC, key_1, key_2 LIMIT $3::int),
 * totals AS (
 *   SELECT CASE grouping(key_2) WHEN 1 THEN 'total' ELSE 'currency' END AS kind, key_2 AS currency,
 *          coalesce(sum(size), 0) AS size, sum(m_1) AS m_1
 *     FROM groups GROUP BY GROUPING SETS ((key_2), ()))
 * SELECT 'group'::text AS kind, place, ARRAY[…] AS keys, ARRAY[…] AS labels, NULL AS currency, size,
 *        ARRAY[trim_scale(m_1)::text]::text[] AS values FROM shown
 *  UNION ALL
 * SELECT kind, NULL, NULL, NULL, currency, size, ARRAY[trim_scale(m_1)::text]::text[] FROM totals
 *  ORDER BY place, size DESC, currency
 * ```
 *
 * With `median:amount`, `groups` also has the totals: it ends with `GROUP BY GROUPING SETS ((key_1, key_2), (key_2), ())`.
 */
export const summaryStatement = (request: SummaryRequest): TenantStatement => {
  const page = withJoinedLists(request.page);
  const scope = { setup: page.setup, objectType: page.objectType, parameters: new Parameters() };
  const { parameters } = scope;
  const records = new SummaryValues(scope);
  const timeZone = request.timeZone === null ? null : `${parameters.add(request.timeZone)}::text`;
  const keys = request.groups.map((group, index) => ({
    ...groupKeySql(group, { values: records, timeZone }),
    name: `key_${index + 1}`,
  }));
  const measures = measuresSql(request.measures, records);
  const currency = request.currencyIndex === null ? null : (keys[request.currencyIndex]?.name ?? null);
  const parts = { keys, measures, currency };
  const { groupBy, columns, isGroup, totals } = request.measures.some(isPercentile)
    ? levelledGroups(parts)
    : summedGroups(parts);
  const where = matchConditions(page, placeOf(page, parameters), conditionsOf(scope, page, []));
  const order = orderOf(parts, request.sort);
  const values = textArray(measures.map(({ number }) => `trim_scale(${number})::text`));
  const read = [
    ...keys.map(({ expression, name }) => `${expression} AS ${name}`),
    ...new Set(measures.flatMap(({ value }) => named([value]))),
  ];
  const grouped = [
    ...keys.map(({ name }) => name),
    'count(*) AS size',
    ...columns,
    ...measures.flatMap((measure) => named(measure.columns)),
  ];
  const limit = `${parameters.add(request.limit + 1)}::int`;
  const texts = textArray(keys.map((key) => key.text(key.name)));
  const labels = textArray(keys.map((key) => key.label(`shown.${key.name}`)));
  return parameters.statement(`
    WITH groups AS MATERIALIZED (
      SELECT ${grouped.join(', ')}
        FROM (SELECT ${read.join(', ')} FROM ${records.from} WHERE ${where.join(' AND ')}) r ${groupBy}),
    shown AS (
      SELECT g.*, row_number() OVER (ORDER BY ${order}) AS place FROM groups g WHERE ${isGroup}
       ORDER BY ${order} LIMIT ${limit}),
    totals AS (${totals})
    SELECT ${kindSql('group')} AS kind, place, ${texts} AS keys, ${labels} AS labels, NULL AS currency, size, ${values} AS values
      FROM shown
     UNION ALL
    SELECT kind, NULL, NULL, NULL, currency, size, ${values} FROM totals
     ORDER BY place, size DESC, currency`);
};
