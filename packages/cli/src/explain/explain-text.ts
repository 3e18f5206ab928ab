import type { ExplainedPage, ExplainedStatement, PartSteps, SizeRange, Step } from '@crm/db';

const count = (number: number): string => number.toLocaleString('en-US');

const some = (number: number, noun: string): string => `${count(number)} ${noun}${number === 1 ? '' : 's'}`;

const milliseconds = (time: number): string => `${time.toFixed(1)} ms`;

const sizeText = ({ recordsFrom, recordsBelow }: SizeRange): string => {
  const most = recordsBelow === Infinity ? '' : ` and fewer than ${count(recordsBelow)}`;
  return `if the pipeline has at least ${count(recordsFrom)}${most} records`;
};

const stepText = (step: Step): string => {
  if (step.read === 'scan-next') return `${step.read}, ${count(step.records)} records`;
  if (step.read === 'sort-few') return `${step.read}, if one condition has at most ${count(step.records)} matches`;
  return `${step.read}${step.onlyIf === undefined ? '' : `, ${sizeText(step.onlyIf)}`}`;
};

const partTexts = { all: '', present: ' of records with a value', absent: ' of records without a value' } as const;

const planText = ({ part, name, steps }: PartSteps): string =>
  [`Plan${partTexts[part]}: ${name}`, ...steps.map((step, index) => `  ${index + 1}. ${stepText(step)}`)].join('\n');

const scansText = (tables: readonly string[]): string =>
  tables.length === 0 ? '' : `, sequential scan of ${tables.join(', ')}`;

const longestValue = 200;

const valueText = (value: unknown, index: number): string => {
  const text = JSON.stringify(value);
  return `$${index + 1} = ${text.length > longestValue ? `${text.slice(0, longestValue)}…` : text}`;
};

const clauses = 'FROM|WHERE|CROSS JOIN|ORDER BY|LIMIT|OFFSET|WINDOW|UNION ALL|AND';

/** Starts a line before each clause and subselect, indented by its parentheses. Changes only white space. */
const formatSql = (sql: string): string => {
  let depth = 0;
  return sql
    .trim()
    .replace(/\s+/g, ' ')
    .replace(new RegExp(`[()]| (?=(?:${clauses}) )|(?<=\\()(?=SELECT )`, 'g'), (found) => {
      if (found === '(') depth += 1;
      if (found === ')') depth -= 1;
      return found.trim() === '' ? `\n${'  '.repeat(depth + 1)}` : found;
    });
};

const statementText = (statement: ExplainedStatement, index: number, all: readonly unknown[]): string => {
  const { planningMs, isReused, executionMs, buffers, rows, sequentialScans, sql, values } = statement;
  const planning = `${milliseconds(planningMs)} planning (${isReused ? 'the plan is reused' : 'in each request'})`;
  const times = `${planning}, ${milliseconds(executionMs)} execution`;
  const cost = `${times}, ${some(buffers, 'buffer')}, ${some(rows, 'row')}${scansText(sequentialScans)}`;
  return [`Statement ${index + 1} of ${all.length}: ${cost}`, formatSql(sql), ...values.map(valueText)].join('\n');
};

/** The totals of all statements of a page. */
export const totalsOf = ({ statements }: ExplainedPage) => ({
  milliseconds: statements.reduce((sum, { planningMs, executionMs }) => sum + planningMs + executionMs, 0),
  buffers: statements.reduce((sum, { buffers }) => sum + buffers, 0),
  sequentialScans: [...new Set(statements.flatMap(({ sequentialScans }) => sequentialScans))],
});

/** Describes how a page was read: its plans, its statements and their cost. */
export const explainText = (page: ExplainedPage): string => {
  const { plans, statements, records } = page;
  const totals = totalsOf(page);
  const cost = `${milliseconds(totals.milliseconds)}, ${some(totals.buffers, 'buffer')}${scansText(totals.sequentialScans)}`;
  return [
    ...plans.map(planText),
    ...statements.map(statementText),
    `Total: ${some(statements.length, 'statement')}, ${cost}; ${some(records, 'record')}`,
  ].join('\n\n');
};
