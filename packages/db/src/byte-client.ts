import type { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import pg from 'pg';
import { Parser } from 'pg-protocol/dist/parser.js';

/**
 * The name of a column whose values stay bytes, a character for each as `toByteText` makes them. All columns of its row do: what
 * else may not be ASCII goes through `fromByteText`.
 */
export const bytesColumn = 'record_bytes';

/** What of the driver's connection is used here. */
interface Connection extends EventEmitter {
  attachListeners: (stream: Readable) => void;
  /** Whether someone listens for every message. */
  readonly _emitMessage?: boolean;
}

/** The driver's parser: it decodes every text in this encoding. */
interface TextParser {
  readonly parse: (chunk: Buffer, onMessage: (message: Message) => void) => void;
  readonly reader: { encoding: 'utf-8' | 'latin1' };
}

interface Message {
  readonly name: string;
  readonly fields?: readonly { readonly name: string }[];
}

const hasBytes = ({ name, fields }: Message): boolean =>
  name === 'rowDescription' && fields?.some((field) => field.name === bytesColumn) === true;

const listen = (connection: Connection, stream: Readable): void => {
  const parser = new Parser() as unknown as TextParser;
  const onMessage = (message: Message): void => {
    if (message.name !== 'dataRow') parser.reader.encoding = hasBytes(message) ? 'latin1' : 'utf-8';
    if (connection._emitMessage === true) connection.emit('message', message);
    connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
  };
  stream.on('data', (chunk: Buffer) => parser.parse(chunk, onMessage));
};

/**
 * The driver's client, which leaves rows with a column named {@link bytesColumn} undecoded. The driver has no setting for it, so
 * this listens to the connection in its place, with its own parser.
 */
export class ByteClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { readonly connection: Connection };
    connection.attachListeners = (stream) => listen(connection, stream);
  }
}
