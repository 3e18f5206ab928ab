import type { ReadOptions } from './options.js';
import type { AnyEventsQuery, Event } from './types.js';

/** Parameters of gets. */
export interface FieldsQuery<Fields extends string = string> {
  /**
   * System names or `custom__<slug>`; `custom_fields` for all custom ones, `default` for the fields of a call without `fields`. They narrow
   * the type of the records.
   */
  readonly fields?: Fields | readonly Fields[];
}

/** Parameters of gets that also return related records. */
export interface IncludeQuery<Names extends string> {
  /** Of each of these, `included` has the newest 50. */
  readonly include?: readonly Names[];
}

/** Parameters of a page of the change log. `object` narrows the type of the events. */
export interface ListEventsQuery<O extends Event['object'] = Event['object']> extends Omit<AnyEventsQuery, 'after'> {
  /** A `next_position`, or `<log_id>:<position>`, which is 410 if the log is another one. By default starts with the oldest retained event. */
  readonly after?: number | string;
  readonly object?: O;
}

/** Parameters of a stream of events. By default a page has 500 events and waits for 20 seconds. */
export interface FollowEvents<O extends Event['object'] = Event['object']>
  extends Omit<ListEventsQuery<O>, 'after' | 'cursor'>, ReadOptions {
  /** A stored `next_position`; without it, starts with the oldest retained event. */
  readonly after?: number;
  /** The `log_id` that `after` belongs to; the stream ends with `CrmStartOverError` if the log is another one. */
  readonly logId?: string;
}
