import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openCsv } from './csv-rows.js';
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
        /^Line 10001 of \S+ is not valid UTF-8\. No other encoding fits the whole file: save it again in one encoding/,
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
    await expect(openAs(odd, 'utf-16le')).rejects.toThrow(/^Line 3 .* is not valid UTF-16LE\. No other encoding fits/);
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
