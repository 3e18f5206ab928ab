import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { TextDecoder } from 'node:util';

import { CliError, configurationError, errorCode } from '../../errors.js';
import { findEncodings, markedEncoding, readingsText } from './encoding.js';

/**
 * Reads a file once before anything is sent, so that no part of a file in another encoding is imported. A pipe can be
 * read only once, so {@link decodeText} stops at the fault.
 *
 * @returns its size in bytes.
 * @throws CliError if there is no such file, it is a directory, or {@link decodeText} refuses it.
 */
export const checkText = async (file: string, encoding: string): Promise<number> => {
  const status = await stat(file).catch((error: unknown) => {
    throw errorCode(error) === 'ENOENT' ? configurationError(`There is no file ${file}.`) : error;
  });
  if (status.isDirectory()) throw configurationError(`${file} is a directory, not a file.`);
  if (status.isFile()) {
    // Only the faults matter here, which end the loop with an error.
    try {
      for await (const text of decodeText(file, encoding)) void text;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      throw configurationError(`${error.message} ${await adviceFor(file, encoding)}`);
    }
  }
  return status.size;
};

/**
 * Decodes the bytes of a file, and removes the byte order mark. The mark overrides `encoding`, also in a pipe.
 *
 * @throws CliError (78) with the line of the first invalid bytes. Most decoders would replace them instead.
 */
export async function* decodeText(
  file: string,
  encoding: string,
  chunks: AsyncIterable<Buffer> = createReadStream(file),
): AsyncGenerator<string, void> {
  let lines: LineDecoder | undefined;
  for await (const chunk of chunks) {
    lines ??= new LineDecoder(file, markedEncoding(chunk) ?? encoding);
    yield lines.decode(chunk);
  }
  if (lines !== undefined) yield lines.decode(undefined);
}

/** Decodes line by line, so that it can report the line of a fault. */
class LineDecoder {
  readonly #decoder: TextDecoder;
  #line = 1;

  constructor(
    private readonly file: string,
    private readonly encoding: string,
  ) {
    this.#decoder = new TextDecoder(encoding, { fatal: true });
  }

  /** Decodes a chunk. Without one, ends the decoding, which fails if a character is incomplete. */
  decode(chunk: Buffer | undefined): string {
    if (chunk === undefined) return this.#piece(undefined);
    let text = '';
    for (let from = 0, end = 0; from < chunk.length; from = end) {
      end = chunk.indexOf(0x0a, from) + 1 || chunk.length;
      // The second byte of a line break in UTF-16.
      if (chunk[end] === 0) end += 1;
      text += this.#piece(chunk.subarray(from, end));
    }
    return text;
  }

  #piece(bytes: Buffer | undefined): string {
    let text: string;
    try {
      text = this.#decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw notText(this.file, this.#line, `is not valid ${this.encoding.toUpperCase()}`);
    }
    if (text.includes('\0')) throw notText(this.file, this.#line, 'has a zero byte, as in UTF-16');
    if (text.includes('\n')) this.#line += 1;
    return text;
  }
}

const notText = (file: string, line: number, fault: string): CliError =>
  configurationError(`Line ${line} of ${file} ${fault}.`);

/** What fits a file that the wanted encoding does not fit. */
const adviceFor = async (file: string, tried: string): Promise<string> => {
  let start: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(file, { end: 999 }) as AsyncIterable<Buffer>) start = chunk;
  const { readings } = await findEncodings(file, start, undefined);
  const others = readings.filter(({ encoding }) => encoding !== tried);
  const [first] = others;
  if (first === undefined)
    return 'No other encoding fits the whole file: save it again in one encoding, best as UTF-8.';
  const ending = extname(file);
  const converted = `${file.slice(0, file.length - ending.length)}.utf8${ending}`;
  const iconv = `iconv -f ${first.encoding.toUpperCase()} -t UTF-8 ${quoted(file)} > ${quoted(converted)}`;
  return `It can be read as ${readingsText(others)}. Give --encoding, or encoding: in the mapping, or convert it: ${iconv}`;
};

/** Quotes a path for a shell. */
const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
