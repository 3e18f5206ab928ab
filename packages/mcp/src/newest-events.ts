import { CrmApiError, type CrmClient, type Event } from '@crm/client';

/** How many positions of the log are searched for the newest events that match. */
export const searchedPositions = 100_000;
/** The API reads at most as many positions for one page of a filtered log. */
const largestStep = 10_000;
const stepGrowth = 4;

/** What was found. */
export interface NewestEvents {
  /** Oldest first. */
  readonly events: readonly Event[];
  /** The end of the log. */
  readonly position: number;
  /** If the search ended before the beginning of the log with fewer events than asked for: the position where. */
  readonly searchedAfter: number | null;
}

/**
 * Reads the newest events that match a filter. The API reads the log forwards only, so this goes backwards in steps: a page after `from`
 * either has all events up to `to`, or the step was too long and is halved. Steps grow while few events match.
 */
export const readNewestEvents = async (crm: CrmClient, filter: object, limit: number): Promise<NewestEvents> => {
  const { position } = (await crm.events.latest()).data;
  const last = Math.max(0, position - searchedPositions);
  let first = last;
  let [to, step] = [position, limit];
  let events: readonly Event[] = [];
  while (to > first && events.length < limit) {
    const from = Math.max(first, to - step);
    const page = await crm.events.list({ ...filter, after: from, limit }).catch((error: unknown) => {
      if (!(error instanceof CrmApiError) || error.oldestPosition === undefined) throw error;
      return error.oldestPosition;
    });
    if (typeof page === 'number') {
      // Retention has deleted the events before.
      first = page - 1;
      continue;
    }
    if (page.data.next_position < to && to - from > 1) {
      step = Math.ceil((to - from) / 2);
      continue;
    }
    events = [...page.data.events.filter((event) => event.position <= to), ...events];
    to = from;
    step = Math.min(step * stepGrowth, largestStep);
  }
  const isCut = events.length < limit && to > 0 && first === last && first > 0;
  return { events: events.slice(-limit), position, searchedAfter: isCut ? first : null };
};
