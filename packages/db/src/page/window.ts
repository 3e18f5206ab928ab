import type { Strategy } from './page-source.js';
import type { PageRow } from './read-rows.js';

/** What a look at the next records of an order found. */
export interface Look {
  /** The records that match. */
  readonly rows: PageRow[];
  /** The first sort key of the first record, of one a tenth of the way on, and of the last; null where the order ended before. */
  readonly reach: readonly string[] | null;
}

/** What the rows of a look say; the one that only tells how far it reached is left out. */
export const lookOf = (rows: readonly PageRow[]): Look => ({
  rows: rows.filter(({ is_match: isMatch }) => isMatch === true),
  reach: rows.at(-1)?.reach ?? null,
});

/** Matches are not spread evenly: so much more is read than should be needed. */
const margin = 1.6;

/** How many times as far as where so many were found the page should end: one more than was found is nearer to what is usual. */
const timesFor = (wanted: number, found: number): number => (wanted * margin) / (found + 1);

/** How many times as far as the look a window goes where that found nothing. */
const stride = 16;

/** Beyond so many times the look, a window is not worth to be tried: what matches is rare, and all of it is gathered. */
const farthest = 64 * stride;

/** Windows that are tried before all matches are gathered. */
const attempts = 3;

/** Matches that are gathered at once where windows do not tell them apart; and in a window, for each record that is wanted. */
const gatheredAtOnce = 2_000;
const gatheredForEach = 4;

/** No record is older than this, and no server takes an instant beyond the other. */
const firstInstant = 0;
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z');

const instantText = (instant: number): string =>
  new Date(Math.min(Math.max(Math.round(instant), firstInstant), lastInstant)).toISOString();

/** How far in time so many times the records of a look should reach, going by how the look itself went on. */
const spanOf = (near: number, whole: number, times: number): number => {
  // Records that become denser are the power of the time that they take; where they become sparser that is not trusted.
  const power = Math.log(10) / Math.log(whole / near);
  return whole * times ** (1 / Math.min(2, Math.max(1, power)));
};

/** Spans of time between which the page should end: what was found within the first, and the one that held too much. */
interface Bounds {
  readonly narrow: number;
  readonly found: number;
  readonly wide: number;
}

/** The next span to try; infinity for all that there is. */
const nextSpan = ({ narrow, found, wide }: Bounds, wanted: number): number => {
  const next = found === 0 ? Number.POSITIVE_INFINITY : narrow * timesFor(wanted, found);
  return next >= wide && Number.isFinite(wide) ? Math.sqrt(narrow * wide) : next;
};

/**
 * Reads matches up to an instant so far off that they should fill the page, going by how many a look found; closer or farther off
 * where they are too many or too few. The order is one of instants. Of what lies beyond, only index entries are read.
 *
 * @param read - reads the rows that a strategy finds, `limit` at most
 * @returns the rows of the page, or null where what matches is neither near nor rare
 */
export const readWindows = async (
  read: (strategy: Strategy) => Promise<PageRow[]>,
  look: Look,
  limit: number,
): Promise<PageRow[] | null> => {
  const [from = 0, near = 0, to = 0] = (look.reach ?? []).map((instant) => Date.parse(instant));
  const [whole, found] = [Math.abs(to - from), look.rows.length];
  let bounds: Bounds = { narrow: whole, found, wide: Number.POSITIVE_INFINITY };
  let span =
    whole === 0 ? bounds.wide : spanOf(Math.abs(near - from), whole, found === 0 ? stride : timesFor(limit, found));
  for (let attempt = 1; attempt <= attempts && span < whole * farthest; attempt += 1) {
    const until = from + Math.sign(to - from) * span;
    const rows = await read({ kind: 'window', until: instantText(until), records: gatheredForEach * limit });
    if (rows.length === limit) return rows;
    const isTooWide = rows.some(({ is_match: isMatch }) => isMatch === false);
    bounds = isTooWide ? { ...bounds, wide: span } : { ...bounds, narrow: span, found: rows.length };
    span = isTooWide ? Math.sqrt(bounds.narrow * span) : nextSpan(bounds, limit);
  }
  if (Number.isFinite(bounds.wide)) return null;
  const rows = await read({ kind: 'window', until: null, records: Math.max(gatheredAtOnce, gatheredForEach * limit) });
  return rows.some(({ is_match: isMatch }) => isMatch === false) ? null : rows;
};
