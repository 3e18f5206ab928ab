/** Reads one message of the server: its type, and where its content is. The bytes are only there during the call. */
export type ReadPacket = (offset: number, code: number, length: number, bytes: Buffer) => void;

const usualBytes = 64 * 1024;
/** The server sends eight kilobytes at a time. */
const leastRoomBytes = 16 * 1024;

/** A byte for the type of a message, and four for its length, which count themselves. */
const codeBytes = 1;
const headBytes = codeBytes + 4;

/**
 * Cuts what arrives on a connection into messages. A socket writes straight into {@link room}, which is used again and again: a chunk
 * of its own for every read, and another for every message that is in two of them, is what the garbage collector is kept busy with.
 */
export class PacketReader {
  readonly #read: ReadPacket;
  #bytes = Buffer.allocUnsafeSlow(usualBytes);
  /** What has arrived and was not read yet. */
  #from = 0;
  #to = 0;

  constructor(read: ReadPacket) {
    this.#read = read;
  }

  /** Where the next bytes belong. */
  get room(): Buffer {
    if (this.#bytes.length - this.#to < leastRoomBytes) this.#makeRoom();
    return this.#bytes.subarray(this.#to);
  }

  /** Reads the messages that are whole, now that so many bytes are in the {@link room}. */
  received(count: number): void {
    this.#to += count;
    while (this.#to - this.#from >= headBytes) {
      const start = this.#from;
      const length = this.#bytes.readUInt32BE(start + codeBytes);
      const end = start + codeBytes + length;
      if (end > this.#to) return;
      this.#from = end;
      this.#read(start + headBytes, this.#bytes.readUInt8(start), length, this.#bytes);
    }
    if (this.#from === this.#to) this.#startOver();
  }

  /** Takes over bytes that arrived elsewhere. */
  append(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      const count = chunk.copy(this.room, 0, at);
      at += count;
      this.received(count);
    }
  }

  #startOver(): void {
    this.#from = 0;
    this.#to = 0;
    // Long messages are rare, and connections last.
    if (this.#bytes.length > usualBytes) this.#bytes = Buffer.allocUnsafeSlow(usualBytes);
  }

  #makeRoom(): void {
    const kept = this.#to - this.#from;
    const isLong = kept > this.#bytes.length / 2;
    const bytes = isLong ? Buffer.allocUnsafeSlow(2 * this.#bytes.length) : this.#bytes;
    this.#bytes.copy(bytes, 0, this.#from, this.#to);
    this.#bytes = bytes;
    this.#from = 0;
    this.#to = kept;
  }
}
