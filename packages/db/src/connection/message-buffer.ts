const usualBytes = 64 * 1024;
/** The server sends eight kilobytes at a time. */
const leastRoomBytes = 16 * 1024;

/** A byte for the type of a message, and four for its length, which count themselves. */
const typeBytes = 1;
const headBytes = typeBytes + 4;

/**
 * Where a socket writes what arrives. Whole messages are handed out as they lie there: the driver would copy each read to join it to the
 * end of the one before. Bytes that were handed out are never written to again, so rows may be views of them.
 */
export class MessageBuffer {
  #bytes = Buffer.allocUnsafeSlow(usualBytes);
  /** Bytes that have arrived and were not handed out yet. */
  #from = 0;
  #to = 0;

  /** Where the next bytes belong. */
  get room(): Buffer {
    if (this.#bytes.length - this.#to < leastRoomBytes) this.#startNext();
    return this.#bytes.subarray(this.#to);
  }

  /** Takes note of bytes in the {@link room}. @returns the messages that are whole now, or null */
  received(count: number): Buffer | null {
    this.#to += count;
    let end = this.#from;
    while (this.#to - end >= headBytes) {
      const next = end + typeBytes + this.#bytes.readUInt32BE(end + typeBytes);
      if (next > this.#to) break;
      end = next;
    }
    if (end === this.#from) return null;
    const messages = this.#bytes.subarray(this.#from, end);
    this.#from = end;
    return messages;
  }

  /** Continues in a new buffer. A long message gets twice the size that has arrived so far. */
  #startNext(): void {
    const rest = this.#bytes.subarray(this.#from, this.#to);
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(usualBytes, 2 * rest.length));
    this.#from = 0;
    this.#to = rest.copy(this.#bytes);
  }
}
