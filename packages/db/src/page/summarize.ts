import {
  ErrorCollector,
  type FieldRef,
  findSystemField,
  hasCurrencyPerRecord,
  maxSummaryGroups,
  parseGroupBy,
  parseMeasures,
  parseSummarySort,
  parseTimeZone,
  type Steps,
  type SummaryGroup,
  type SummaryMeasure,
  type SummarySortKey,
} from '@crm/domain';
import type { Queries } from '../database.js';
import { sqlStateOf } from '../database-errors.js';
import type { OrganizationSetup } from '../organization-setup.js';
import { type PageRequest, type PageRequestInput, pageRequestSteps } from './page-request.js';
import { summaryStatement, type SummaryRowKind } from './summary-sql.js';

/** The unparsed input of a summary. */
export interface SummaryInput extends Pick<
  PageRequestInput,
  'objectType' | 'pipelineId' | 'stageId' | 'contactId' | 'readWords' | 'filters'
> {
  readonly groupBy: readonly string[];
  readonly measures: readonly string[];
  /** Undefined or null for the largest groups first. */
  readonly sort?: unknown;
  /** Of the days, months and so on; undefined or null for UTC. */
  readonly timeZone?: string | null | undefined;
  /** Null for the maximum. */
  readonly limit: number | null;
}

/** A summary to read. */
export interface SummaryRequest {
  /** The conditions on the records. Its sort and field selection are not used. */
  readonly page: PageRequest;
  /** The requested groups, followed by the currency if a measure needs it and the request does not group by it. */
  readonly groups: readonly SummaryGroup[];
  readonly measures: readonly SummaryMeasure[];
  /** Empty for the largest groups first. */
  readonly sort: readonly SummarySortKey[];
  /** Null for UTC. */
  readonly timeZone: string | null;
  /** The index of the currency group; null if no measure can mix currencies. */
  readonly currencyIndex: number | null;
  readonly limit: number;
}

const isCurrency = ({ field }: SummaryGroup): boolean => field.source === 'system' && field.field.name === 'currency';

const currencyGroup = (): SummaryGroup => {
  const field = findSystemField('opportunity', 'currency');
  if (field === null) throw new Error('An opportunity has no currency');
  const ref: FieldRef = { source: 'system', field };
  return { name: 'currency', field: ref, isOfAccount: false, unit: null };
};

const readTimeZone = (sent: string | null | undefined, errors: ErrorCollector): string | null => {
  if (sent === undefined || sent === null || sent === '') return null;
  const name = errors.read('time_zone', parseTimeZone(sent)) ?? null;
  return name === 'UTC' ? null : name;
};

/**
 * Parses and validates the input of a summary, in steps.
 *
 * @param errors - collects the errors of all parts of the request; use the result only if there are none
 * @throws ApiError `not_found` for an unknown pipeline
 */
export function* summaryRequestSteps(
  setup: OrganizationSetup,
  input: SummaryInput,
  errors: ErrorCollector,
): Steps<SummaryRequest> {
  const { request: page, requestedPipelineId } = yield* pageRequestSteps(
    setup,
    // Its sort is one of groups.
    { ...input, sort: undefined, defaultSort: 'created_at', readLimit: () => 1 },
    errors,
  );
  const own = setup.fieldIndex(input.objectType, requestedPipelineId);
  const account = input.objectType === 'account' ? null : setup.fieldIndex('account', null);
  const asked = parseGroupBy(input.groupBy, { own, account }, errors);
  const measures = parseMeasures(input.measures, own, errors);
  const isApart = measures.some(hasCurrencyPerRecord);
  const groups = isApart && !asked.some(isCurrency) ? [...asked, currencyGroup()] : asked;
  return {
    page,
    groups,
    measures,
    sort: parseSummarySort(input.sort, groups, measures, errors),
    timeZone: readTimeZone(input.timeZone, errors),
    currencyIndex: isApart ? groups.findIndex(isCurrency) : null,
    limit: input.limit ?? maxSummaryGroups,
  };
}

/** One group of records. Its keys are in the order of the request's groups. */
export interface SummaryGroupRow {
  readonly keys: readonly (string | null)[];
  /** Null for keys without a label in the database. */
  readonly labels: readonly (string | null)[];
  readonly count: number;
  /** Decimal numbers as text, in the order of the measures. Null if no record of the group has a value. */
  readonly values: readonly (string | null)[];
}

/** All records of a summary, or those of one currency. */
export type SummaryTotalRow = Pick<SummaryGroupRow, 'count' | 'values'>;

/** A summary as the database returns it. */
export interface Summary {
  /** The largest first. */
  readonly groups: readonly SummaryGroupRow[];
  readonly total: SummaryTotalRow;
  /** The totals of each currency, the largest first. Empty if the request does not separate currencies. */
  readonly totalsOfCurrencies: readonly (SummaryTotalRow & { readonly currency: string | null })[];
  /** Whether there are more groups than the limit. */
  readonly isTruncated: boolean;
}

interface Row {
  readonly kind: SummaryRowKind;
  /** Null for totals. */
  readonly keys: readonly (string | null)[] | null;
  /** Null for totals. */
  readonly labels: readonly (string | null)[] | null;
  readonly currency: string | null;
  readonly size: string;
  readonly values: readonly (string | null)[];
}

const totalOf = ({ size, values }: Row): SummaryTotalRow => ({ count: Number(size), values });

/** A time zone that PostgreSQL does not know, because its list of them is older than that of Node. */
const unknownZone = '22023';

const readRows = async (database: Queries, request: SummaryRequest): Promise<readonly Row[]> => {
  try {
    const { organizationId } = request.page.setup;
    return await database.query<Row & Record<string, unknown>>(organizationId, summaryStatement(request));
  } catch (error) {
    if (request.timeZone === null || sqlStateOf(error) !== unknownZone) throw error;
    const errors = new ErrorCollector();
    errors.add('time_zone', 'is not a time zone of this database: use a neighbouring one');
    errors.throwIfAny();
    throw error;
  }
};

/**
 * Groups the matching records of a request in one statement.
 *
 * @throws ApiError on `time_zone` if PostgreSQL does not have it
 */
export const summarize = async (database: Queries, request: SummaryRequest): Promise<Summary> => {
  const rows = await readRows(database, request);
  const groups = rows.filter(({ kind }) => kind === 'group');
  const total = rows.find(({ kind }) => kind === 'total');
  if (total === undefined) throw new Error('A summary has no total');
  return {
    groups: groups
      .slice(0, request.limit)
      .map((row) => ({ ...totalOf(row), keys: row.keys ?? [], labels: row.labels ?? [] })),
    total: totalOf(total),
    totalsOfCurrencies: rows
      .filter(({ kind }) => kind === 'currency')
      .map((row) => ({ ...totalOf(row), currency: row.currency })),
    isTruncated: groups.length > request.limit,
  };
};
