import type { ReadOptions } from './options.js';
import type { Event } from './types.js';

/** What every list takes. */
export interface PageQuery {
  /** Begins at a later page: the `next_cursor` of an earlier one with the same query. */
  readonly cursor?: string;
  /** Records in a page, 1 to 500; 100 when absent. */
  readonly limit?: number;
}

/** What gets take. */
export interface FieldsQuery<Fields extends string = string> {
  /** System names, slugs or `custom__<slug>`; `custom_fields` for all custom ones. They narrow the type of the records. */
  readonly fields?: Fields | readonly Fields[];
}

/** What the lists of accounts and contacts take. */
export interface ListQuery<Fields extends string = string> extends PageQuery, FieldsQuery<Fields> {
  /** Words that must all occur. */
  readonly q?: string;
}

/** What the list of opportunities takes. */
export interface ListOpportunitiesQuery<Fields extends string = string> extends ListQuery<Fields> {
  readonly pipeline_id: string;
  readonly stage_id?: string;
}

/** What the list of opportunities' fields takes. */
export interface ListOpportunityFieldsQuery extends PageQuery {
  /** Only fields that hold for this pipeline. */
  readonly pipeline_id?: string;
}

/** What the list of notes takes. */
export interface ListNotesQuery extends PageQuery {
  readonly account_id?: string;
  readonly contact_id?: string;
  readonly opportunity_id?: string;
  /** Words that title and content must all contain. */
  readonly q?: string;
}

/** What becomes of the opportunities of a member who is removed; one who owns none needs neither. */
export interface RemoveMemberQuery {
  /** `keep`: they stay those of the person, who becomes a former member. */
  readonly opportunities?: 'keep';
  /** The member who gets them; then the person is deleted. */
  readonly reassign_to?: string;
}

/** Which events are read. */
export interface EventFilter {
  readonly object?: Event['object'];
  readonly type?: Event['type'];
  readonly record_id?: string;
}

/** What a page of the change log takes. */
export interface ListEventsQuery extends EventFilter {
  /** Only events after this position; the oldest that is retained comes first when absent. */
  readonly after?: number;
  /** Events in a page, 1 to 500; 100 when absent. */
  readonly limit?: number;
  /** Seconds to wait for an event when there is none, 0 to 30; 0 when absent. */
  readonly wait?: number;
}

/** What a stream of events takes. A page has 500 events, and waits for 20 seconds, when nothing else is asked for. */
export interface FollowEvents extends ListEventsQuery, ReadOptions {
  /** The `log_id` that `after` belongs to; the stream ends with `CrmStartOverError` if the log is another one. */
  readonly logId?: string;
}
