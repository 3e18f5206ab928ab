import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { SourceRow } from './csv-rows.js';
import { openJsonLines } from './json-lines.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'json-lines-'));
});
afterAll(() => rm(directory, { recursive: true }));

const readAll = async (content: string | Buffer): Promise<SourceRow[]> => {
  const file = join(directory, 'in.jsonl');
  await writeFile(file, content);
  const { rows } = await openJsonLines(file);
  const read: SourceRow[] = [];
  for (let next = await rows.next(); next.done !== true; next = await rows.next()) read.push(next.value);
  return read;
};

describe('openJsonLines', () => {
  it('reads one object per line, with any line ends and across reads of the file', async () => {
    const long = 'ü'.repeat(100_000);
    const rows = await readAll(`\ufeff{"a":"x\u2028y"}\r\n\n {"a":"${long}"}\n{"a":3}`);
    expect(rows.map(({ line, record, problems }) => [line, record, problems])).toEqual([
      [1, { a: 'x\u2028y' }, []],
      [3, { a: long }, []],
      [4, { a: 3 }, []],
    ]);
  });

  it('reads UTF-16 with a byte order mark', async () => {
    const [row] = await readAll(Buffer.from('\ufeff{"a":"Müller"}\n', 'utf16le'));
    expect(row?.record).toEqual({ a: 'Müller' });
  });

  it('refuses a line whose values the parser would alter, and names the field', async () => {
    const rows = await readAll(
      [
        '{"name":"A","name":"B"}',
        '{"custom_fields":{"place":{"city":"A","c\\u0069ty":"B"}}}',
        '{"amount":1.0000000000000001,"custom_fields":{"scores":[1,999999999999.99998]}}',
        '{"amount":1.50,"x":1e3}',
        '["a"]',
        '{"a":1',
      ].join('\n'),
    );
    expect(
      rows.map(({ line, problems }) => [line, ...problems.map(({ field, reason }) => `${field}: ${reason}`)]),
    ).toEqual([
      [1, 'name: is given twice'],
      [2, 'custom_fields.place.city: is given twice'],
      [3, expect.stringMatching(/^amount: .*digits/), expect.stringMatching(/^custom_fields\.scores\[1\]: .*digits/)],
      [4],
      [5, ': is not a JSON object'],
      [6, ': is not a JSON object'],
    ]);
  });

  it('refuses a file that is not JSON lines, and a line that is too long', async () => {
    await expect(readAll('[\n{"a":1}\n]')).rejects.toThrow(/Line 1 .* is not a JSON object/);
    await expect(readAll(`{"a":1}\n{"a":"${'x'.repeat(5_000_000)}`)).rejects.toThrow(/more than 4 MB/);
  });
});
