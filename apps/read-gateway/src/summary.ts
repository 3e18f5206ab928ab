import type { OperationContract, summarizeOpportunities, Summary as SummaryData, SummaryValues } from '@crm/contract';
import { summarize, type Summary, type SummaryRequest, summaryRequestSteps, type SummaryTotalRow } from '@crm/db';
import { ErrorCollector, filterKindOf, hasCurrencyPerRecord, type ObjectType, type SummaryGroup } from '@crm/domain';
import { type OperationRequest, runInTurns } from '@crm/http';
import { operation } from './context.js';
import { checkContact, narrowMatch, readOrNarrow } from './page.js';
import { readMatch } from './list-records.js';

/** A key for the response: checkboxes are true or false. */
const keyOf = ({ field }: SummaryGroup, text: string | null): string | boolean | null => {
  const kind = filterKindOf(field);
  return text !== null && (kind === 'checkbox' || kind === 'boolean') ? text === 'true' : text;
};

/**
 * The display text of a key. The database returns it for ids and dates. For options it is in the field's definition. Texts are their own.
 */
const labelOf = ({ field }: SummaryGroup, text: string | null, label: string | null): string | null => {
  if (text === null || label !== null) return label;
  const kind = filterKindOf(field);
  if (kind === 'checkbox' || kind === 'boolean') return text === 'true' ? 'Yes' : 'No';
  if (field.source !== 'custom') return kind === 'uuid' ? null : text;
  return field.definition.metadata?.options?.find(({ value }) => value === text)?.label ?? text;
};

const valuesOf = ({ measures }: SummaryRequest, { values }: SummaryTotalRow): SummaryValues =>
  Object.fromEntries(measures.map(({ name }, index) => [name, values[index] ?? null]));

/** The total of all records. Amounts in several currencies have no total. Currencies without amounts do not count. */
const totalOf = ({ measures }: SummaryRequest, { total, totalsOfCurrencies }: Summary): SummaryTotalRow => ({
  ...total,
  values: total.values.map((value, index) => {
    const measure = measures[index];
    if (measure === undefined || !hasCurrencyPerRecord(measure)) return value;
    return totalsOfCurrencies.filter(({ values }) => (values[index] ?? null) !== null).length > 1 ? null : value;
  }),
});

const toData = (request: SummaryRequest, summary: Summary): SummaryData => {
  const { groups } = request;
  const total = totalOf(request, summary);
  return {
    // Without `group_by` the response has no groups, only the total.
    groups: (groups.length === 0 ? [] : summary.groups).map((row) => {
      const cells = groups.map((group, index) => ({
        group,
        text: row.keys[index] ?? null,
        label: row.labels[index] ?? null,
      }));
      return {
        key: Object.fromEntries(cells.map(({ group, text }) => [group.name, keyOf(group, text)])),
        label: Object.fromEntries(cells.map(({ group, text, label }) => [group.name, labelOf(group, text, label)])),
        count: row.count,
        ...valuesOf(request, row),
      };
    }),
    total: { count: total.count, ...valuesOf(request, total) },
    total_by_currency: summary.totalsOfCurrencies.map((row) => ({
      currency: row.currency,
      count: row.count,
      ...valuesOf(request, row),
    })),
    truncated: groups.length > 0 && summary.isTruncated,
  };
};

/** A summary of any object; accounts and contacts have no pipeline and stage in their bodies. */
export const summarizeRecords = (contract: OperationContract, objectType: ObjectType) =>
  operation<OperationContract>(contract, (context, { caller, body }: OperationRequest<typeof summarizeOpportunities>) =>
    context.setups.use(caller.organizationId, async (setup) => {
      const errors = new ErrorCollector();
      const { queryPath, ...match } = readMatch(body);
      const { group_by: groupBy, measures, limit, sort, time_zone: timeZone } = body;
      const asked = { groupBy: groupBy ?? [], measures: measures ?? [], sort, timeZone, limit: limit ?? null };
      const input = { objectType, ...match, ...asked };
      const request = await runInTurns(summaryRequestSteps(setup, input, errors));
      errors.throwIfAny();
      const read = () => summarize(context.database, request);
      const summary = await readOrNarrow(read, narrowMatch(request.page, queryPath), 'summary');
      if (summary.total.count === 0) await checkContact(context, caller.organizationId, body.contact_id);
      return { message: 'Summarized the records', data: toData(request, summary) };
    }),
  );
