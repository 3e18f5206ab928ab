import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { guessFormat, type GuessedFormat } from './guess-format.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'guess-format-'));
});
afterAll(() => rm(directory, { recursive: true }));

const guess = async (
  content: string | Buffer,
  given: { delimiter?: string; encoding?: string } = {},
): Promise<GuessedFormat> => {
  const file = join(directory, 'deals.csv');
  await writeFile(file, content);
  return guessFormat(file, { delimiter: given.delimiter, encoding: given.encoding });
};

describe('the delimiter of a file', () => {
  it.each([
    [',', 'a,b\n1,2\n'],
    [';', 'Name;Wert\nMüller;1,5\nMeier;2,5\n'],
    [';', 'a,b;c,d\n1;2\n3;4\n'],
    ['\t', 'a\tb; c\n1\t2\n'],
    ['|', 'a|b\r\n1|"2|,,,;;;"\r\n'],
    [',', 'a,b\n"x;y;\nz;",2\n'],
    [',', 'only\n1\n'],
    [',', ''],
  ])('is guessed as %j in %j', async (delimiter, content) => {
    expect((await guess(content)).format.delimiter).toBe(delimiter);
  });

  it('is guessed from complete records if the sample ends in the middle of one', async () => {
    const row = `${'x'.repeat(2_000)};1,2,3\n`;
    expect((await guess(`a;b\n${row.repeat(300)}`)).format.delimiter).toBe(';');
  });
});

describe('the encoding of a file', () => {
  const text = 'Name;Wert\nMüller;1,5 €\n';
  const bigEndian = Buffer.from(text, 'utf16le').swap16();
  const windows = Buffer.from(Array.from(text, (sign) => (sign === '€' ? 0x80 : sign.charCodeAt(0))));

  it.each([
    ['utf-8', Buffer.from(text), '";" between cells'],
    ['utf-8', Buffer.from(`\ufeff${text}`), '";" between cells'],
    ['utf-16le', Buffer.from(text, 'utf16le'), 'UTF-16LE, ";" between cells'],
    ['utf-16le', Buffer.from(`\ufeff${text}`, 'utf16le'), 'UTF-16LE, ";" between cells'],
    ['utf-16be', bigEndian, 'UTF-16BE, ";" between cells'],
    ['windows-1252', windows, 'Windows-1252, ";" between cells'],
    ['utf-8', Buffer.from('a,b\n1,2\n'), ''],
  ])('is guessed as %s and described', async (encoding, bytes, guessed) => {
    expect(await guess(bytes)).toEqual({ format: expect.objectContaining({ encoding }), guessed });
  });

  it('is not guessed as Windows-1252 if one character is UTF-8 or one byte is unassigned', async () => {
    for (const bytes of [Buffer.concat([Buffer.from('ü\n'), windows]), Buffer.from([0x61, 0x0a, 0x81])])
      expect((await guess(bytes)).format.encoding).toBe('utf-8');
  });

  it('is the one of the option, and is not described then', async () => {
    const given = { delimiter: '|', encoding: 'iso-8859-1' };
    expect(await guess(windows, given)).toEqual({ format: given, guessed: '' });
  });
});

describe('a spreadsheet', () => {
  it.each([[[0x50, 0x4b, 3, 4]], [[0xd0, 0xcf, 0x11, 0xe0]]])('is refused with advice', async (start) => {
    await expect(guess(Buffer.from([...start, 0, 0, 0, 0]))).rejects.toMatchObject({
      exitCode: 78,
      message: expect.stringMatching(/^deals\.csv is a spreadsheet, not CSV\. Open it, choose File > Save As/),
    });
  });
});
