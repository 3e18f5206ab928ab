import type { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import pg from 'pg';
import { Parser } from 'pg-protocol/dist/parser.js';
import { type RecordBytes, RecordCollector } from './record-bytes.js';

/** The name of a column of text whose values are not decoded: they are {@link RecordBytes}. */
export const recordColumn = 'record_bytes';

/** What of the driver's connection is used here. */
interface Connection extends EventEmitter {
  attachListeners: (stream: Readable) => void;
  /** Whether someone listens for every message. */
  readonly _emitMessage?: boolean;
}

interface Message {
  readonly name: string;
  /** Descriptions of columns, or their values. */
  readonly fields?: readonly unknown[];
}

/** What of the driver's parser is used here. `handlePacket` makes the message of one packet, whose content starts at `offset`. */
interface PacketParser {
  parse: (chunk: Buffer, onMessage: (message: Message) => void) => void;
  handlePacket: (offset: number, code: number, length: number, bytes: Buffer) => Message;
}

const isRecordColumn = (field: unknown): boolean => (field as { readonly name: string }).name === recordColumn;

/** Codes of messages, as the protocol has them. */
const dataRow = 0x44;
const rowDescription = 0x54;

/** Reads the packets of one connection: a row with a record gives its bytes to a collector, all else is the driver's. */
const createParser = (): PacketParser => {
  const parser = new Parser() as unknown as PacketParser;
  const handlePacket = parser.handlePacket.bind(parser);
  let collector = new RecordCollector();
  /** The place of the record among the columns; -1 where rows have none. */
  let recordIndex = -1;

  const readRow = (offset: number, bytes: Buffer): Message => {
    const fields = new Array<string | RecordBytes | null>(bytes.readInt16BE(offset));
    let at = offset + 2;
    for (let index = 0; index < fields.length; index += 1) {
      const length = bytes.readInt32BE(at);
      const from = at + 4;
      at = length === -1 ? from : from + length;
      if (length === -1) fields[index] = null;
      else fields[index] = index === recordIndex ? collector.add(bytes, from, at) : bytes.toString('utf8', from, at);
    }
    return { name: 'dataRow', fields };
  };

  parser.handlePacket = (offset, code, length, bytes) => {
    if (code === dataRow && recordIndex !== -1) return readRow(offset, bytes);
    const message = handlePacket(offset, code, length, bytes);
    if (code === rowDescription) {
      recordIndex = message.fields?.findIndex(isRecordColumn) ?? -1;
      if (recordIndex !== -1) collector = new RecordCollector(collector.used);
    }
    return message;
  };
  return parser;
};

const listen = (connection: Connection, stream: Readable): void => {
  const parser = createParser();
  const onMessage = (message: Message): void => {
    if (connection._emitMessage === true) connection.emit('message', message);
    connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
  };
  stream.on('data', (chunk: Buffer) => parser.parse(chunk, onMessage));
};

type TypeParserOf = (id: number, format?: string) => unknown;

const textType: number = pg.types.builtins.TEXT;
const driversParserOf = pg.types.getTypeParser as TypeParserOf;
const same = (value: unknown): unknown => value;

/** Texts are texts already, and records are to stay what they are: the driver's own reader of texts would make texts of them. */
const parserOf: TypeParserOf = (id, format) => (id === textType ? same : driversParserOf(id, format));

/**
 * The driver's client, which leaves the column named {@link recordColumn} undecoded. The driver has no setting for it, so this
 * listens to the connection in its place, with its own parser.
 */
export class RecordClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, types: { getTypeParser: parserOf as pg.CustomTypesConfig['getTypeParser'] } });
    const { connection } = this as unknown as { readonly connection: Connection };
    connection.attachListeners = (stream) => listen(connection, stream);
  }
}
