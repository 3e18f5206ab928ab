import type { RowProblem } from '../mapping/convert-row.js';

/** The number of rows that were rejected for one reason. */
export interface ReasonCount {
  readonly field: string;
  /** Values that differ between rows are left out: `"…" is not a number such as 1234.50`. */
  readonly reason: string;
  readonly count: number;
  /** The first line of the file with this reason. Null for the reasons beyond the limit, which are counted together. */
  readonly firstLine: number | null;
}

/** Counts every problem of rejected rows by reason. Its memory use does not grow with the file. */
export class RejectReasons {
  readonly #counts = new Map<string, { field: string; reason: string; count: number; firstLine: number }>();
  #others = 0;

  constructor(private readonly mostReasons = 100) {}

  /** Counts one problem of the row on `line`. */
  add({ field, reason }: RowProblem, line: number): void {
    const general = reason.replace(/"[^"]*"/g, '"…"').replace(/(?<=line )\d+/g, '…');
    const key = JSON.stringify([field, general]);
    const known = this.#counts.get(key);
    if (known !== undefined) {
      known.count += 1;
      known.firstLine = Math.min(known.firstLine, line);
      if (known.reason !== reason) known.reason = general;
    } else if (this.#counts.size < this.mostReasons)
      this.#counts.set(key, { field, reason, count: 1, firstLine: line });
    else this.#others += 1;
  }

  /** The most frequent reasons first. Those beyond `most` are one entry at the end. */
  list(most = this.mostReasons): readonly ReasonCount[] {
    const sorted = [...this.#counts.values()].sort((a, b) => b.count - a.count || a.firstLine - b.firstLine);
    const others = sorted.slice(most).reduce((sum, { count }) => sum + count, this.#others);
    const listed = sorted.slice(0, most);
    return others === 0 ? listed : [...listed, { field: '', reason: 'other reasons', count: others, firstLine: null }];
  }
}
