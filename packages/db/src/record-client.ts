import type { EventEmitter } from 'node:events';
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { TLSSocket } from 'node:tls';
import pg from 'pg';
import { Parser } from 'pg-protocol/dist/parser.js';
import { PacketReader, type ReadPacket } from './packet-reader.js';
import { type RecordBytes, RecordCollector } from './record-bytes.js';

/** The name of a column of text whose values are not decoded: they are {@link RecordBytes}. */
export const recordColumn = 'record_bytes';

/** What of the driver's connection is used here. */
interface Connection extends EventEmitter {
  attachListeners: (stream: Socket) => void;
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
  handlePacket: (offset: number, code: number, length: number, bytes: Buffer) => Message;
}

const isRecordColumn = (field: unknown): boolean => (field as { readonly name: string }).name === recordColumn;

/** Codes of messages, as the protocol has them. */
const dataRow = 0x44;
const rowDescription = 0x54;

/** Makes messages of packets: of a row with a record, a collector gets its bytes; all else is the driver's. */
const createParser = (onMessage: (message: Message) => void): ReadPacket => {
  const parser = new Parser() as unknown as PacketParser;
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

  return (offset, code, length, bytes) => {
    if (code === dataRow && recordIndex !== -1) {
      onMessage(readRow(offset, bytes));
      return;
    }
    const message = parser.handlePacket(offset, code, length, bytes);
    if (code === rowDescription) {
      recordIndex = message.fields?.findIndex(isRecordColumn) ?? -1;
      if (recordIndex !== -1) collector = new RecordCollector(collector.used);
    }
    onMessage(message);
  };
};

const emit = (connection: Connection, message: Message): void => {
  if (connection._emitMessage === true) connection.emit('message', message);
  connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
};

type TypeParserOf = (id: number, format?: string) => unknown;

const textType: number = pg.types.builtins.TEXT;
const driversParserOf = pg.types.getTypeParser as TypeParserOf;
const same = (value: unknown): unknown => value;

/** Texts are texts already, and records are to stay what they are: the driver's own reader of texts would make texts of them. */
const parserOf: TypeParserOf = (id, format) => (id === textType ? same : driversParserOf(id, format));

/** A socket that reads into a buffer of ours. Below TLS it is read by that, in its own way. */
const openSocket = (packets: PacketReader, isBelowTls: boolean): Socket => {
  const onread: OnReadOpts = {
    buffer: () => packets.room,
    callback: (count) => {
      packets.received(count);
      return true;
    },
  };
  const options: SocketConstructorOpts & { readonly onread?: OnReadOpts } = isBelowTls ? {} : { onread };
  return new Socket(options);
};

/**
 * The driver's client, which leaves the column named {@link recordColumn} undecoded. The driver has no setting for it, so this
 * listens to the connection in its place, with its own parser.
 */
export class RecordClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    const packets = new PacketReader(createParser((message) => emit(connection, message)));
    const stream = ({ ssl }: { readonly ssl?: unknown }): Socket => openSocket(packets, Boolean(ssl));
    const types = { getTypeParser: parserOf as pg.CustomTypesConfig['getTypeParser'] };
    super({ ...config, types, stream: stream as () => Socket });
    const { connection } = this as unknown as { readonly connection: Connection };
    connection.attachListeners = (secured) => {
      if (secured instanceof TLSSocket) secured.on('data', (chunk: Buffer) => packets.append(chunk));
    };
  }
}
