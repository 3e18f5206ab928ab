import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { openCsv, type CsvFormat, type SourceRow } from './csv-rows.js';

const plain: CsvFormat = { delimiter: ',', encoding: 'utf-8' };
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'csv-rows-'));
});
afterAll(() => rm(directory, { recursive: true }));

const readAll = async (
  content: string | Buffer,
  format = plain,
): Promise<{ columns: readonly string[]; rows: SourceRow[] }> => {
  const file = join(directory, 'in.csv');
  await writeFile(file, content);
  const csv = await openCsv(file, format);
  const rows: SourceRow[] = [];
  for (let next = await csv.rows.next(); next.done !== true; next = await csv.rows.next()) rows.push(next.value);
  return { columns: csv.columns, rows };
};

describe('openCsv', () => {
  it.each(['\n', '\r\n'])('reports the line on which each record starts, with %j line ends', async (end) => {
    const lines = ['\ufeffa, b ', '1,"x', 'y"', '', '2,z', '"3', '3","4', '4"', '5,6'];
    const { columns, rows } = await readAll(lines.join(end));
    expect(columns).toEqual(['a', 'b']);
    expect(rows.map(({ line, cells }) => [line, ...cells])).toEqual([
      [2, '1', `x${end}y`],
      [5, '2', 'z'],
      [6, `3${end}3`, `4${end}4`],
      [9, '5', '6'],
    ]);
    expect(rows[0]?.row.get('b')).toBe(`x${end}y`);
  });

  it('reads other delimiters and encodings', async () => {
    const { rows } = await readAll(Buffer.from('name;x\nM\xfcller;1\n', 'latin1'), {
      delimiter: ';',
      encoding: 'windows-1252',
    });
    expect(rows[0]?.cells).toEqual(['Müller', '1']);
  });

  it('reports the fault of a record and continues', async () => {
    const { rows } = await readAll('a,b\n1\n1,2,3\n4,M\uFFFDller\n5,6\n');
    expect(rows.map(({ line, problems }) => [line, problems[0]?.field, problems[0]?.reason])).toEqual([
      [2, '', 'has 1 cells where the header has 2 columns'],
      [3, '', 'has 3 cells where the header has 2 columns'],
      [4, 'b', 'has U+FFFD where characters were lost'],
      [5, undefined, undefined],
    ]);
  });

  it('accepts U+FFFD from an export, because its record has it', async () => {
    const { rows } = await readAll('a,b\n4,M\uFFFDller\n', { ...plain, isExport: true });
    expect(rows[0]).toMatchObject({ cells: ['4', 'M\uFFFDller'], problems: [] });
  });

  it.each([
    ['never closed', 'a,b\n1,2\n3,"4\n5,6\n', 3],
    ['never closed, and the file is large', `a,b\n1,"${'x'.repeat(3_000_000)}`, 2],
    ['closed in the middle of a cell', 'a,b\r\n1,"2\r\n3"\r\n4,"5" pipe\r\n', 4],
    ['opened in the middle of a cell', 'a,b\n1,5" pipe\n', 2],
    ['never closed in the header', 'a,"b\n1,2\n', 1],
  ])('stops with the line of a record with a quote that is %s', async (_name, content, line) => {
    await expect(readAll(content)).rejects.toThrow(
      new RegExp(`^The record that starts on line ${line} of .* has a misplaced quote`),
    );
  });

  it('refuses an empty file, a directory and a missing file', async () => {
    await expect(readAll('')).rejects.toThrow(/is empty/);
    await expect(openCsv(directory, plain)).rejects.toThrow(/is a directory/);
    await expect(openCsv(join(directory, 'none.csv'), plain)).rejects.toThrow(/There is no file/);
  });
});
