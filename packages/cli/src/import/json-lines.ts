import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

import { fileSize, type SourceFile, type SourceRow } from './csv-rows.js';
import { parseJsonObject } from '../json-object.js';

/**
 * Opens a file of JSON lines: one object a line, blank lines are passed over. An export of no records is an empty file.
 *
 * @throws CliError when the file cannot be read.
 */
export const openJsonLines = async (file: string): Promise<SourceFile> => {
  const sizeBytes = await fileSize(file);
  const rows = readRows(file);
  const first = await rows.next();
  const columns = Object.keys(first.value?.record ?? {});
  return { format: 'jsonl', columns, sizeBytes, rows: following(first.value, rows) };
};

async function* following(
  first: SourceRow | undefined,
  rows: AsyncGenerator<SourceRow, undefined>,
): AsyncGenerator<SourceRow> {
  if (first !== undefined) yield first;
  yield* rows;
}

async function* readRows(file: string): AsyncGenerator<SourceRow, undefined> {
  const lines = createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity });
  let line = 0;
  let bytes = 0;
  for await (const read of lines) {
    line += 1;
    bytes += Buffer.byteLength(read) + 1;
    // A byte order mark is no part of the text.
    const text = line === 1 ? read.replace(/^\uFEFF/, '') : read;
    if (text.trim() === '') continue;
    const record = parseJsonObject(text);
    const problem = Object.keys(record).length === 0 || Array.isArray(record) ? 'is no JSON object' : undefined;
    yield { line, bytes, cells: [text], row: new Map(), record, problem };
  }
  return undefined;
}
