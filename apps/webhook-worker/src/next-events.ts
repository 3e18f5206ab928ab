import type { EventToSend, EventRecord } from '@crm/db';

/** The text that identifies a record. */
export const keyOf = ({ object, record_id: id }: EventRecord): string => `${object} ${id}`;

/** The record of an event. */
export const recordOf = ({ object, recordId }: EventToSend): EventRecord => ({ object, record_id: recordId });

/** Decides which events are next. It knows the records of a round that are parked, and those that are no longer. */
export class NextEvents {
  /** The position of the first event of a record that was not delivered; null if the record is no longer parked. */
  readonly #records = new Map<string, number | null>();
  /** Positions that a retry has delivered, so that a replay does not send them again. */
  readonly #retried = new Set<number>();
  /** All events up to here were sent, or wait for an earlier event of their record, or were filtered out. */
  #decided: number;

  constructor(position: number) {
    this.#decided = position;
  }

  /** The position up to which all events of the log are decided. Retries of a record end here. */
  get decided(): number {
    return this.#decided;
  }

  /** Notes that the events of the log up to a position are decided. */
  decide(position: number): void {
    this.#decided = Math.max(this.#decided, position);
  }

  /** Whether an event of a page is sent now. Otherwise a retry has sent it, or it waits for an earlier event of its record. */
  isNext(event: EventToSend): boolean {
    if (this.#retried.has(event.position)) return false;
    const first = this.#records.get(keyOf(recordOf(event)));
    if (first === undefined) return !event.isParked;
    return first === null || first > event.position;
  }

  /** Notes that the events of a record wait from a position on. */
  park(record: EventRecord, position: number): void {
    this.#records.set(keyOf(record), position);
  }

  /** Notes a retry that delivered. */
  retried(position: number): void {
    this.#retried.add(position);
  }

  /**
   * Ends the retries of a record if no event is left. There is no `await` between this check and the next decision about a page, so no event
   * of the record is left out.
   * @param readTo - the position up to which the events of the record were read and delivered
   */
  unpark(record: EventRecord, readTo: number): boolean {
    if (readTo < this.#decided) return false;
    this.#records.set(keyOf(record), null);
    return true;
  }
}
