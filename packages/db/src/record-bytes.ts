const comma = 0x2c;
const leastRoomBytes = 4 * 1024;
/** Pages of one connection differ little in size: one that has a little more room than the last seldom has to grow. */
const spareRoom = 1.25;

/** The bytes of records as they arrive, one behind the other with a comma between. */
export class RecordCollector {
  #bytes: Buffer;
  #used = 0;

  /** @param expected - about how many bytes will come */
  constructor(expected = 0) {
    this.#bytes = Buffer.allocUnsafe(Math.max(leastRoomBytes, Math.ceil(expected * spareRoom)));
  }

  get used(): number {
    return this.#used;
  }

  /** Takes over a part of a buffer that will be used for other things. */
  add(source: Buffer, from: number, to: number): RecordBytes {
    const separator = this.#used === 0 ? 0 : 1;
    const start = this.#used + separator;
    const end = start + to - from;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, end));
      this.#bytes.copy(larger, 0, 0, this.#used);
      this.#bytes = larger;
    }
    if (separator === 1) this.#bytes[this.#used] = comma;
    source.copy(this.#bytes, start, from, to);
    this.#used = end;
    return new RecordBytes(this, start, end);
  }

  /** A view, not a copy. */
  slice(start: number, end: number): Buffer {
    return this.#bytes.subarray(start, end);
  }
}

/** A record as the database sent it: JSON, in UTF-8. */
export class RecordBytes {
  constructor(
    readonly collector: RecordCollector,
    readonly start: number,
    readonly end: number,
  ) {}

  toString(): string {
    return this.collector.slice(this.start, this.end).toString('utf8');
  }
}

/**
 * The bytes of records with a comma between them. Neighbours in what the database sent stay where they are: of most pages nothing
 * is copied.
 */
export const joinRecords = (records: readonly RecordBytes[]): Buffer => {
  const runs: Buffer[] = [];
  let from = 0;
  for (const [index, { collector, end }] of records.entries()) {
    const next = records[index + 1];
    if (next?.collector === collector && next.start === end + 1) continue;
    if (runs.length > 0) runs.push(Buffer.of(comma));
    runs.push(collector.slice(records[from]?.start ?? end, end));
    from = index + 1;
  }
  const [only] = runs;
  return only !== undefined && runs.length === 1 ? only : Buffer.concat(runs);
};
