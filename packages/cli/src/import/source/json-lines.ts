import { configurationError } from '../../errors.js';
import { findJsonFaults } from '../../json-faults.js';
import { parseJsonObject } from '../../json-object.js';
import type { SourceFile, SourceRow } from './csv-rows.js';
import { checkText, decodeText } from './source-text.js';

/** The limit of a request. It also keeps a file without line breaks from filling the memory. */
const maxLineLength = 4 * 1024 * 1024;

/**
 * Opens a file of JSON lines: one object per line, blank lines are skipped. An export without records is an empty file.
 *
 * @throws CliError if the file cannot be read, is not text, or does not start with an object.
 */
export const openJsonLines = async (file: string): Promise<SourceFile> => {
  const sizeBytes = await checkText(file, 'utf-8');
  const rows = readRows(file);
  const first = await rows.next();
  if (first.done === true) return { guessed: '', columns: [], sizeBytes, rows };
  const { line, record } = first.value;
  if (record === undefined)
    throw configurationError(`Line ${line} of ${file} is not a JSON object. JSON lines have one object on each line.`);
  return { guessed: '', columns: Object.keys(record), sizeBytes, rows: startingWith(first.value, rows) };
};

async function* startingWith(
  first: SourceRow,
  others: AsyncGenerator<SourceRow, void>,
): AsyncGenerator<SourceRow, void> {
  yield first;
  yield* others;
}

async function* readRows(file: string): AsyncGenerator<SourceRow, void> {
  let line = 0;
  let bytes = 0;
  for await (const text of readLines(file)) {
    line += 1;
    bytes += Buffer.byteLength(text) + 1;
    if (text.trim() === '') continue;
    const record = parseJsonObject(text);
    const isObject = Object.keys(record).length > 0 && !Array.isArray(record);
    const problems = isObject ? findJsonFaults(text) : [{ field: '', reason: 'is not a JSON object' }];
    yield { line, bytes, cells: [text], row: new Map(), problems, ...(isObject && { record }) };
  }
}

/** Does not use readline, which also ends a line at U+2028, a character that JSON texts may contain. */
async function* readLines(file: string): AsyncGenerator<string, void> {
  let rest = '';
  for await (const chunk of decodeText(file, 'utf-8')) {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > maxLineLength)
      throw configurationError(`${file} has a line of more than 4 MB, which is too long for a record.`);
    yield* lines;
  }
  if (rest !== '') yield rest;
}
