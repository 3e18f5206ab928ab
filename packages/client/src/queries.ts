import type { ReadOptions } from './options.js';
import type { Event } from './types.js';

/** Parameters of every list. */
export interface PageQuery {
  /** Starts at a later page: the `next_cursor` of an earlier page of the same query. */
  readonly cursor?: string;
  /** Records in a page, 1 to 500; by default 100. */
  readonly limit?: number;
}

/** Parameters of gets. */
export interface FieldsQuery<Fields extends string = string> {
  /** System names or `custom__<slug>`; `custom_fields` for all custom ones. They narrow the type of the records. */
  readonly fields?: Fields | readonly Fields[];
}

/** Parameters of the lists of accounts and contacts. */
export interface ListQuery extends PageQuery {
  /** Only records that contain all of these words. */
  readonly q?: string;
}

/** Parameters of the list of opportunities. */
export interface ListOpportunitiesQuery extends ListQuery {
  readonly pipeline_id: string;
  readonly stage_id?: string;
}

/** Parameters of the lists of fields. */
export interface ListFieldsQuery extends PageQuery {
  /** Whether to list archived custom fields too. */
  readonly include_archived?: 'true' | 'false';
}

/** Parameters of the list of opportunities' fields. */
export interface ListOpportunityFieldsQuery extends ListFieldsQuery {
  /** Only fields that apply to this pipeline. */
  readonly pipeline_id?: string;
}

/** Parameters of the list of notes. */
export interface ListNotesQuery extends PageQuery {
  readonly account_id?: string;
  readonly contact_id?: string;
  readonly opportunity_id?: string;
  /** Only notes whose title and content contain all of these words. */
  readonly q?: string;
}

/** What happens to the opportunities of a removed member; not needed for a member without opportunities. */
export interface RemoveMemberQuery {
  /** `keep`: the person still owns them, as a former member. */
  readonly opportunities?: 'keep';
  /** The member who gets the opportunities; then the person is deleted. */
  readonly reassign_to?: string;
}

/** Parameters of a page of the change log. `object` narrows the type of the events. */
export interface ListEventsQuery<O extends Event['object'] = Event['object']> {
  readonly object?: O;
  readonly type?: Event['type'];
  readonly record_id?: string;
  /** Only events after this position; by default from the oldest retained event. */
  readonly after?: number;
  /** Events in a page, 1 to 500; by default 100. */
  readonly limit?: number;
  /** Seconds to wait if there is no event, 0 to 30; by default 0. */
  readonly wait?: number;
}

/** Parameters of a stream of events. By default a page has 500 events and waits for 20 seconds. */
export interface FollowEvents<O extends Event['object'] = Event['object']> extends ListEventsQuery<O>, ReadOptions {
  /** The `log_id` that `after` belongs to; the stream ends with `CrmStartOverError` if the log is another one. */
  readonly logId?: string;
}
