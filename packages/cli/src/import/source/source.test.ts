import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CsvOptions, openCsv, type SourceRow } from './csv-rows.js';
import { guessFormat } from './csv-format.js';
import { openJsonLines } from './json-lines.js';
import { decodeText } from './source-text.js';

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
    ['never closed', 'a,b\n1,2\n3,"4\n5,6\n', 3],
    ['never closed, and the file is large', `a,b\n1,"${'x'.repeat(1_100_000)}`, 2],
    ['closed in the middle of a cell', 'a,b\r\n1,"2\r\n3"\r\n4,"5" pipe\r\n', 4],
    ['opened in the middle of a cell', 'a,b\n1,5" pipe\n', 2],
    ['never closed in the header', 'a,"b\n1,2\n', 1],
  ])('stops with the line of a record with a quote that is %s', async (_name, content, line) => {
    await expect(readCsv(content)).rejects.toThrow(
      new RegExp(`^The record that starts on line ${line} of .* has a misplaced quote`),
    );
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
    ['windows-1252', windows, 'Windows-1252, ";" between cells'],
  ])('has the encoding %s, and is described', async (encoding, bytes, guessed) => {
    expect(await guess(bytes)).toEqual({ format: expect.objectContaining({ encoding }), guessed });
  });

  it('is not Windows-1252 if one character is UTF-8 or one byte is unassigned', async () => {
    const mixed = Buffer.concat([Buffer.from('ü\n'), windows]);
    // In chunks of 64 KiB, the first has only one byte of the character.
    const split = Buffer.concat([Buffer.alloc(65_535, 'a'), mixed]);
    for (const bytes of [mixed, split, Buffer.from([0x61, 0x0a, 0x81])])
      expect((await guess(bytes)).format.encoding).toBe('utf-8');
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

describe('the text of a file', () => {
  const openAs = (file: string, encoding = 'utf-8'): Promise<unknown> =>
    file.endsWith('.csv') ? openCsv(file, { delimiter: ',', encoding }) : openJsonLines(file);

  it.each(['in.csv', 'in.jsonl'])('is refused as a whole if %s has bytes that are not UTF-8', async (name) => {
    // Far into the file, so that earlier rows would already be sent without the check.
    const good = Buffer.from('{"name":"Müller"}\n'.repeat(10_000));
    const file = await fileOf(name, Buffer.concat([good, Buffer.from('{"name":"M\xfcller"}\n', 'latin1')]));
    await expect(openAs(file)).rejects.toMatchObject({
      exitCode: 78,
      message: expect.stringMatching(
        /^Line 10001 of \S+ is not valid UTF-8\. If it is WINDOWS-1252: --encoding windows-1252, or iconv -f WINDOWS-1252 -t UTF-8 \S+ > \S+\.utf8\.\w+/,
      ),
    });
  });

  it('is refused if a character is cut at the end, or a byte is zero', async () => {
    await expect(openAs(await fileOf('in.csv', Buffer.from('a\nü').subarray(0, 3)))).rejects.toThrow(/^Line 2 /);
    const spaced = await fileOf('my deals.csv', Buffer.from('a\n\xfc', 'latin1'));
    await expect(openAs(spaced)).rejects.toThrow(`-t UTF-8 '${spaced}' > '${spaced.replace('.csv', '.utf8.csv')}'`);
    const utf16 = Buffer.from('a,b\n1,2\n', 'utf16le');
    await expect(openAs(await fileOf('in.csv', utf16))).rejects.toThrow(/^Line 1 .* zero byte.*iconv -f UTF-16LE/);
    const odd = await fileOf('in.csv', Buffer.concat([utf16, Buffer.from('3')]));
    await expect(openAs(odd, 'utf-16le')).rejects.toThrow(/^Line 3 .* is not valid UTF-16LE\. Give its encoding with/);
  });

  it('is decoded by its byte order mark even if the mapping has another encoding, in chunks of any size', async () => {
    const content = '\ufeffü,€\n\u{1f600},\u0a0a\n';
    const bigEndian = Buffer.from(content, 'utf16le').swap16();
    for (const bytes of [Buffer.from(content), Buffer.from(content, 'utf16le'), bigEndian]) {
      for (const size of [3, 5, 64]) {
        const chunks: Buffer[] = [];
        for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
        const decoded = Readable.from(decodeText('in.csv', 'windows-1252', Readable.from(chunks)));
        expect(await textOf(decoded)).toBe(content.slice(1));
      }
    }
  });

  it('from a pipe is refused when the fault is reached', async () => {
    const pipe = join(directory, 'pipe.csv');
    await promisify(execFile)('mkfifo', [pipe]);
    const writing = open(pipe, 'w').then(async (handle) => {
      await handle.write(Buffer.from('a\n1\n\xfc\n', 'latin1'));
      await handle.close();
    });
    await expect(openAs(pipe)).rejects.toThrow(/^Line 3 of .* is not valid UTF-8/);
    await writing;
  });
});
