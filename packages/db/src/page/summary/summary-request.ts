import {
  type ErrorCollector,
  type FieldRef,
  findSystemField,
  hasCurrencyPerRecord,
  maxSummaryGroups,
  parseGroupBy,
  parseMeasures,
  type SummaryGroup,
  type SummaryMeasure,
} from '@crm/domain';
import type { OrganizationSetup } from '../../organization-setup.js';
import { type PageRequestInput, parsePageRequest } from '../parse-page-request.js';
import type { PageRequest } from '../page-request.js';

/** The unparsed input of a summary. */
export interface SummaryInput extends Pick<
  PageRequestInput,
  'objectType' | 'pipelineId' | 'stageId' | 'readWords' | 'filters'
> {
  readonly groupBy: readonly string[];
  readonly measures: readonly string[];
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
  /** The index of the currency group; null if no measure can mix currencies. */
  readonly currencyIndex: number | null;
  readonly limit: number;
}

const isCurrency = ({ field }: SummaryGroup): boolean => field.source === 'system' && field.field.name === 'currency';

const currencyGroup = (): SummaryGroup => {
  const field = findSystemField('opportunity', 'currency');
  if (field === null) throw new Error('An opportunity has no currency');
  const ref: FieldRef = { source: 'system', field };
  return { name: 'currency', field: ref, unit: null };
};

/**
 * Parses and validates the input of a summary.
 *
 * @param errors - collects the errors of all parts of the request; use the result only if there are none
 * @throws ApiError `not_found` for an unknown pipeline
 */
export const parseSummaryRequest = (
  setup: OrganizationSetup,
  input: SummaryInput,
  errors: ErrorCollector,
): SummaryRequest => {
  const { request: page, requestedPipelineId } = parsePageRequest(
    setup,
    { ...input, defaultSort: 'created_at', readLimit: () => 1 },
    errors,
  );
  const fields = setup.fieldIndex(input.objectType, requestedPipelineId);
  const asked = parseGroupBy(input.groupBy, fields, errors);
  const measures = parseMeasures(input.measures, fields, errors);
  const isApart = measures.some(hasCurrencyPerRecord);
  const groups = isApart && !asked.some(isCurrency) ? [...asked, currencyGroup()] : asked;
  return {
    ...{ page, groups, measures },
    currencyIndex: isApart ? groups.findIndex(isCurrency) : null,
    limit: input.limit ?? maxSummaryGroups,
  };
};
