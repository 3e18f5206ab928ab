import type { ErrorCollector } from '../errors.js';
import type { FieldIndex } from './field-index.js';
import { type FieldRef } from './field-ref.js';
/** The units by which a summary groups dates, in UTC. A week begins on Monday, as in ISO 8601. */
export declare const dateUnits: readonly ['day', 'week', 'month', 'quarter', 'year'];
/** One of {@link dateUnits}. */
export type DateUnit = (typeof dateUnits)[number];
/** What a summary groups by. */
export interface SummaryGroup {
    /** The text that was sent, also the key in the response: `stage_id`, `close_date:month`. */
    readonly name: string;
    readonly field: FieldRef;
    /** Null for fields that are not dates. */
    readonly unit: DateUnit | null;
}
/** What a summary computes from the numbers of a group, besides its count. */
export declare const summaryFunctions: readonly ['sum', 'avg', 'min', 'max'];
/** One of {@link summaryFunctions}. */
export type SummaryFunction = (typeof summaryFunctions)[number];
/** One number that a summary computes for each group. */
export interface SummaryMeasure {
    /** The text that was sent, also the key in the response: `sum:amount`. */
    readonly name: string;
    readonly compute: SummaryFunction;
    readonly field: FieldRef;
}
/** The maximum number of fields that a summary groups by. */
export declare const maxSummaryGroupings = 2;
/** The maximum number of measures in a summary. */
export declare const maxSummaryMeasures = 10;
/** The maximum number of groups in the response of a summary. */
export declare const maxSummaryGroups = 1000;
/**
 * Reads `group_by`: ids (`stage_id`, `owner_id`, `pipeline_id`, `account_id`), `currency`, booleans, select, radio and
 * checkbox fields, and dates with a unit, such as `close_date:month`.
 *
 * @param errors collects errors on `group_by[0]` and so on
 */
export declare const parseGroupBy: (texts: readonly string[], fieldIndex: FieldIndex, errors: ErrorCollector) => readonly SummaryGroup[];
/**
 * Reads `measures`: `count`, which every summary has anyway, and `sum:`, `avg:`, `min:` and `max:` of a numeric field.
 *
 * @param errors collects errors on `measures[0]` and so on
 */
export declare const parseMeasures: (texts: readonly string[], fieldIndex: FieldIndex, errors: ErrorCollector) => readonly SummaryMeasure[];
/**
 * Whether a measure is money whose currency is in another field of the record. A custom currency field has one fixed
 * currency.
 */
export declare const hasCurrencyPerRecord: ({ field }: SummaryMeasure) => boolean;
