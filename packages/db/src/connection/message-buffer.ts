const usualBytes = 64 * 1024;
/** The server sends eight kilobytes at a time. */
const leastRoomBytes = 16 * 1024;

/** A message starts with one byte for its type and four for its length. The length includes its own four bytes. */
const typeBytes = 1;
const headBytes = typeBytes + 4;

/**
 * The buffer into which a socket reads. It returns whole messages as views without a copy. With partial messages, the driver would copy
 * each chunk to append it to the previous one. Returned bytes are never overwritten, so rows may be views of them too.
 */
export class MessageBuffer {
  #bytes = Buffer.allocUnsafeSlow(usualBytes);
  /** The range of bytes that have arrived and were not returned yet. */
  #from = 0;
  #to = 0;

  /** The space for the next bytes. */
  get room(): Buffer {
    if (this.#bytes.length - this.#to < leastRoomBytes) this.#startNext();
    return this.#bytes.subarray(this.#to);
  }

  /** Adds bytes that were written to {@link room}. @returns the messages that are whole now, or null */
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

  /** Continues in a new buffer, which has room for the whole message that has started to arrive. */
  #startNext(): void {
    const rest = this.#bytes.subarray(this.#from, this.#to);
    const message = rest.length < headBytes ? 0 : typeBytes + rest.readUInt32BE(typeBytes);
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(usualBytes, message + leastRoomBytes));
    this.#from = 0;
    this.#to = rest.copy(this.#bytes);
  }
}
