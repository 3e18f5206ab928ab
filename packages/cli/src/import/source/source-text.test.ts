import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { openCsv } from './csv-rows.js';
import { openJsonLines } from './json-lines.js';
import { decodeText } from './source-text.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'source-text-'));
});
afterAll(() => rm(directory, { recursive: true }));

const fileOf = async (name: string, content: string | Buffer): Promise<string> => {
  const file = join(directory, name);
  await writeFile(file, content);
  return file;
};

const openAs = (file: string, encoding = 'utf-8'): Promise<unknown> =>
  file.endsWith('.csv') ? openCsv(file, { delimiter: ',', encoding }) : openJsonLines(file);

describe('the text of a file', () => {
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
    const odd = Buffer.concat([utf16, Buffer.from('3')]);
    await expect(openAs(await fileOf('in.csv', odd), 'utf-16le')).rejects.toThrow(
      /^Line 3 .* is not valid UTF-16LE\. Give its encoding with --encoding/,
    );
  });

  it('is decoded by its byte order mark even if the mapping has another encoding, in chunks of any size', async () => {
    const content = '\ufeffü,€\n\u{1f600},\u0a0a\n';
    const bigEndian = Buffer.from(content, 'utf16le').swap16();
    for (const bytes of [Buffer.from(content), Buffer.from(content, 'utf16le'), bigEndian]) {
      for (const size of [3, 5, 64]) {
        const decoder = decodeText('in.csv', 'windows-1252');
        for (let at = 0; at < bytes.length; at += size) decoder.write(bytes.subarray(at, at + size));
        decoder.end();
        expect(await text(decoder)).toBe(content.slice(1));
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
