import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CsvOptions, openCsv, type SourceRow } from './csv-rows.js';
import { guessFormat } from './csv-format.js';
import { openJsonLines } from './json-lines.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-source-'));
});
afterAll(() => rm(directory, { recursive: true }));

const fileOf = async (name: string, content: string | Buffer): Promise<string> => {
  const file = join(directory, name);
  await writeFile(file, content);
  return file;
};

const allOf = async (rows: AsyncIterable<SourceRow>): Promise<SourceRow[]> => {
  const read: SourceRow[] = [];
  for await (const row of rows) read.push(row);
  return read;
};

const utf8: CsvOptions = { delimiter: ',', encoding: 'utf-8' };
const readCsv = async (content: string | Buffer, format = utf8) => {
  const { columns, rows } = await openCsv(await fileOf('in.csv', content), format);
  return { columns, rows: await allOf(rows) };
};
const readJsonLines = async (content: string | Buffer): Promise<SourceRow[]> =>
  allOf((await openJsonLines(await fileOf('in.jsonl', content))).rows);

describe('openCsv', () => {
  it.each(['\n', '\r\n'])('reports the line on which each record starts, with %j line ends', async (end) => {
    const lines = ['\ufeffa, b ', '1,"x', 'y"', '', '2,z', '"3', '3","4', '4"', '5,6'];
    const { columns, rows } = await readCsv(lines.join(end));
    expect(columns).toEqual(['a', 'b']);
    expect(rows.map(({ line, cells }) => [line, ...cells])).toEqual([
      [2, '1', `x${end}y`],
      [5, '2', 'z'],
      [6, `3${end}3`, `4${end}4`],
      [9, '5', '6'],
    ]);
    expect(rows[0]?.row.get('b')).toBe(`x${end}y`);
  });

  it('reports the fault of a record and continues', async () => {
    const { rows } = await readCsv('a,b\n1\n1,2,3\n4,M\uFFFDller\n5,6\n');
    expect(rows.map(({ line, problems }) => [line, problems[0]?.field, problems[0]?.reason])).toEqual([
      [2, '', 'has 1 cells where the header has 2 columns'],
      [3, '', 'has 3 cells where the header has 2 columns'],
      [4, 'b', 'has U+FFFD where characters were lost'],
      [5, undefined, undefined],
    ]);
    // In an export, the record itself has U+FFFD.
    const exported = await readCsv('a,b\n4,M\uFFFDller\n', { ...utf8, isExport: true });
    expect(exported.rows[0]).toMatchObject({ cells: ['4', 'M\uFFFDller'], problems: [] });
  });

  it.each([
    ['never closed, and a later line is no row', 'a,b\n1,2\n3,"4\n5,6\n7\n', 3],
    ['never closed, and the file is large', `a,b\n1,"${'x'.repeat(1_100_000)}`, 2],
    ['never closed within a text of several lines', 'a,b\n3,"He said "hi"\nblah, blah\nend"\n', 2],
    ['never closed in the header', 'a,"b\n1,2\n', 1],
  ])('stops with the line of a record with a quote that is %s', async (_name, content, line) => {
    await expect(readCsv(content)).rejects.toThrow(
      new RegExp(`^The record that starts on line ${line} of .* has a misplaced quote`),
    );
  });

  it.each([
    ['never closed', 'a,b\n1,2\n3,"4\n5,6\n', 3, ['1 2', '5 6']],
    ['never closed, before another quoted cell', 'a,b\n3,"4\n5,6\n7,"x,y"\n8,9\n', 2, ['5 6', '7 x,y', '8 9']],
    ['closed in the middle of a cell', 'a,b\r\n1,"2\r\n3"\r\n4,"5" pipe\r\n6,7', 4, ['1 2\r\n3', '6 7']],
    ['closed in the middle, beside quoted quotes', 'a,b\n"""1"" x","5" pipe\n6,7\n', 2, ['6 7']],
    ['closed in the middle, in doubled quotes', 'a,b\n""5"" pipe"",7" pipe\n6,7\n', 2, ['6 7']],
  ])('rejects only the row with a quote that is %s', async (_name, content, line, others) => {
    const { rows } = await readCsv(content);
    const [faulty] = rows.filter(({ problems }) => problems.length > 0);
    expect(faulty).toMatchObject({ line, problems: [{ reason: expect.stringMatching(/^has a misplaced quote/) }] });
    expect(rows.filter((row) => row !== faulty).map(({ cells }) => cells.join(' '))).toEqual(others);
  });

  it('reads a quote inside an unquoted cell, a line break in a header, and lines with other ends', async () => {
    const read = await readCsv('a,"b\nb"\r\n1,5" pipe\n"2\n2",3"\n4," "\n"""5"" Ltd",6" x ""y""\n');
    expect(read.columns).toEqual(['a', 'b b']);
    expect(read.rows.map(({ line, cells }) => [line, ...cells])).toEqual([
      [3, '1', '5" pipe'],
      [4, '2\n2', '3"'],
      [6, '4', ' '],
      [7, '"5" Ltd', '6" x ""y""'],
    ]);
    expect(read.rows.flatMap(({ problems }) => problems)).toEqual([]);
    const old = await readCsv('a,b\r1,2\r\r3,4');
    expect(old.rows.map(({ line, cells }) => [line, ...cells])).toEqual([
      [2, '1', '2'],
      [4, '3', '4'],
    ]);
  });

  it.each([
    ['one more empty cell', 'a,b,c\n1,2,3,\n4,5,6,,\n', ['1 2 3', '4 5 6']],
    ['no empty last cells', 'a,b,c\n1,2,3\n4,5\n6,7,8\n', ['1 2 3', '4 5', '6 7 8']],
    ['no last cells, although others have empty ones', 'a,b,c\n1,2,\n4,5\n6,7,8\n', ['1 2 ', '!4 5', '6 7 8']],
    ['an unquoted line break', 'a,b,c\n1,2,3\n4,5\nx,6\n7,8,9\n', ['1 2 3', '!4 5', '!x 6', '7 8 9']],
    ['an unquoted line break in the last cell', 'a,b,c\n1,2,3\nx\n4,5,6\n', ['1 2 3', '!x', '4 5 6']],
  ])('reads rows with %s, and rejects those that may be parts of a row', async (_name, content, expected) => {
    const { rows } = await readCsv(content, {});
    expect(rows.map(({ cells, problems }) => `${problems.length > 0 ? '!' : ''}${cells.join(' ')}`)).toEqual(expected);
  });

  it.each([
    ['sep=;\r\na;b\r\n1;2\r\n', {}, ['a', 'b'], 3],
    ['Deals of\n"Friday, the 13th"\n\na,b\n1,2\n', {}, ['a', 'b'], 5],
    ['Deals,,\n,,\na,b,c\n1,2,3\n4,5,6\n', {}, ['a', 'b', 'c'], 4],
    ['x,y\na,b\n1,2\n', { headerLine: 2 }, ['a', 'b'], 3],
    ['line,field,reason,a\n7,x,y,1\n', { headerLine: 4 }, ['line', 'field', 'reason', 'a'], 2],
  ])('finds the header of %j', async (content, options, columns, line) => {
    const read = await readCsv(content, options);
    expect([read.columns, read.rows[0]?.line]).toEqual([columns, line]);
  });

  it.each(['<!DOCTYPE html><p>Log in', ' <html>', '<?xml version="1.0"?>'])('refuses the web page %j', async (text) => {
    await expect(readCsv(text, {})).rejects.toThrow(/is a web page or XML, not CSV/);
  });

  it('refuses an empty file, a directory and a missing file', async () => {
    await expect(readCsv('')).rejects.toThrow(/is empty/);
    await expect(openCsv(directory, utf8)).rejects.toThrow(/is a directory/);
    await expect(openCsv(join(directory, 'none.csv'), utf8)).rejects.toThrow(/There is no file/);
  });
});

describe('openJsonLines', () => {
  it('reads one object per line, with any line ends and across reads of the file', async () => {
    const long = 'ü'.repeat(100_000);
    const rows = await readJsonLines(`\ufeff{"a":"x\u2028y"}\r\n\n {"a":"${long}"}\n{"a":3}`);
    expect(rows.map(({ line, record, problems }) => [line, record, problems])).toEqual([
      [1, { a: 'x\u2028y' }, []],
      [3, { a: long }, []],
      [4, { a: 3 }, []],
    ]);
    const [row] = await readJsonLines(Buffer.from('\ufeff{"a":"Müller"}\n', 'utf16le'));
    expect(row?.record).toEqual({ a: 'Müller' });
  });

  it('refuses a line whose values the parser would alter, and names the field', async () => {
    const lines = [
      '{"name":"A","name":"B"}',
      '{"custom_fields":{"place":{"city":"A","c\\u0069ty":"B"}}}',
      '{"amount":1.0000000000000001,"custom_fields":{"scores":[1,999999999999.99998]}}',
      '{"amount":1.50,"x":1e3}',
      '["a"]',
      '{"a":1',
    ];
    const rows = await readJsonLines(lines.join('\n'));
    const shown = rows.map(({ line, problems }) => [
      line,
      ...problems.map(({ field, reason }) => `${field}: ${reason}`),
    ]);
    expect(shown).toEqual([
      [1, 'name: is given twice'],
      [2, 'custom_fields.place.city: is given twice'],
      [3, expect.stringMatching(/^amount: .*digits/), expect.stringMatching(/^custom_fields\.scores\[1\]: .*digits/)],
      [4],
      [5, ': is not a JSON object'],
      [6, ': is not a JSON object'],
    ]);
  });

  it('refuses a file that is not JSON lines, and a line that is too long', async () => {
    await expect(readJsonLines('[\n{"a":1}\n]')).rejects.toThrow(/Line 1 .* is not a JSON object/);
    await expect(readJsonLines(`{"a":1}\n{"a":"${'x'.repeat(4_200_000)}`)).rejects.toThrow(/more than 4 MB/);
  });
});

describe('the guessed format of a file', () => {
  const guess = async (content: string | Buffer, given: { delimiter?: string; encoding?: string } = {}) =>
    guessFormat(await fileOf('deals.csv', content), given);
  const text = 'Name;Wert\nMüller;1,5 €\n';
  const windows = Buffer.from(Array.from(text, (sign) => (sign === '€' ? 0x80 : sign.charCodeAt(0))));

  it.each([
    [';', 'Name;Wert\nMüller;1,5\nMeier;2,5\n'],
    [';', 'a,b;c,d\n1;2\n3;4\n'],
    ['\t', 'a\tb; c\n1\t2\n'],
    ['|', 'a|b\r\n1|"2|,,,;;;"\r\n'],
    [',', 'a,b\n"x;y;\nz;",2\n'],
    [',', ''],
  ])('has the delimiter %j in %j', async (delimiter, content) => {
    expect((await guess(content)).format.delimiter).toBe(delimiter);
  });

  it('has the delimiter of the complete records if the sample ends within quotes', async () => {
    const row = `1;"${'x,\n'.repeat(15_000)}"\n`;
    expect((await guess(`a,b;c\n${row.repeat(8)}`)).format.delimiter).toBe(';');
  });

  it.each([
    ['utf-8', Buffer.from(text), '";" between cells'],
    ['utf-8', Buffer.from('a,b\n1,2\n'), ''],
    ['utf-16le', Buffer.from(`\ufeff${text}`, 'utf16le'), 'UTF-16LE, ";" between cells'],
    ['utf-16be', Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), 'UTF-16BE, ";" between cells'],
    ['utf-16le', Buffer.from('a,b\n1,2\n', 'utf16le'), 'UTF-16LE'],
    ['utf-16be', Buffer.from('a,b\n1,2\n', 'utf16le').swap16(), 'UTF-16BE'],
    ['windows-1252', windows, 'Windows-1252 ("Müller €"), ";" between cells'],
  ])('has the encoding %s, and is described', async (encoding, bytes, guessed) => {
    expect(await guess(bytes)).toEqual({ format: expect.objectContaining({ encoding }), guessed, doubtful: [] });
  });

  // The bytes of a name, and the encodings that are shown for it. All others make no words of it.
  it.each([
    ['Иван Петров', 'windows-1251', 'c8e2e0ed20cfe5f2f0eee2'],
    ['Иван Петров', 'koi8-r', 'e9d7c1ce20f0c5d4d2cfd7'],
    ['王小明 李娜', 'gb18030', 'cdf5d0a1c3f720c0eec4c8'],
    ['山田 太郎', 'shift_jis', '8e52936320919898 59'.replace(' ', '')],
    ['José Müller', 'macintosh', '4a6f738e204d9f6c6c6572'],
    ['Löwe Čapek', 'windows-1250', '4cf6776520c861706 56b'.replace(' ', '')],
    ['Γιάννης', 'windows-1253', 'c3e9dcedede7f2'],
  ])('is in doubt for %s in %s, which is one of the shown readings', async (_text, encoding, hex) => {
    const { doubtful } = await guess(Buffer.concat([Buffer.from('Name\n'), Buffer.from(hex, 'hex')]));
    const decoder = new TextDecoder(encoding);
    const expected = decoder.decode(Buffer.from(hex, 'hex'), { stream: true });
    expect(doubtful.slice(0, 6).map(({ sample }) => sample)).toContain(expected);
  });

  it('is not Windows-1252 if one character is UTF-8 or one byte is unassigned', async () => {
    const mixed = Buffer.concat([Buffer.from('ü\n'), windows]);
    // In chunks of 64 KiB, the first has only one byte of the character.
    const split = Buffer.concat([Buffer.alloc(65_535, 'a'), mixed]);
    for (const bytes of [mixed, split]) expect((await guess(bytes)).format.encoding).toBe('utf-8');
    const { doubtful } = await guess(Buffer.from([0x61, 0x0a, 0x81]));
    expect(doubtful.map(({ encoding }) => encoding)).not.toContain('windows-1252');
  });

  it('is the one of the options, except against a byte order mark, and is not described then', async () => {
    const given = { delimiter: '|', encoding: 'iso-8859-1' };
    expect(await guess(windows, given)).toMatchObject({ format: given, guessed: '' });
    const marked = await guess(`\ufeff${text}`, given);
    expect(marked).toMatchObject({ format: { delimiter: '|', encoding: 'utf-8' }, guessed: '' });
  });

  it.each([[[0x50, 0x4b, 3, 4]], [[0xd0, 0xcf, 0x11, 0xe0]]])('is refused for a spreadsheet', async (start) => {
    await expect(guess(Buffer.from([...start, 0, 0, 0, 0]))).rejects.toMatchObject({
      exitCode: 78,
      message: expect.stringMatching(/^deals\.csv is a spreadsheet, not CSV\. Open it, choose File > Save As/),
    });
  });
});
