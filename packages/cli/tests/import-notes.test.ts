import { appendFile, readFile, stat } from 'node:fs/promises';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { useImportFixture, report } from './import-fixture.js';
import type { CrmResult } from './run-crm.js';
import { answerError } from './stub-inbound-gateway.js';

const mapping = 'object: note\nfields: { title: { column: Title }, contact_emails: { column: Email } }';
const notes = 'Title,Email\nCall,a@x.com\nMail,a@x.com\n';
const equalNotes = notes.replace('Mail', 'Call');

const fixture = useImportFixture();
beforeEach(() => fixture.write('deals.yaml', mapping));

const importNotes = (csv: string, url: string, more: readonly string[] = []): Promise<CrmResult> =>
  fixture.import(csv, url, ['--concurrency', '1', '--progress', fixture.path('notes.progress'), ...more]);

const readProgress = (): Promise<string> => readFile(fixture.path('notes.progress'), 'utf8');

describe('crm import of notes', () => {
  it('gives equal notes on two lines different keys, and the same keys when the file is sent again', async () => {
    const { url, requests } = await fixture.start();
    await importNotes(equalNotes, url);
    await importNotes(equalNotes, url, ['--progress', fixture.path('other.progress')]);
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(4);
    expect(keys.slice(0, 2)).toEqual(keys.slice(2));
    expect(new Set(keys).size).toBe(2);
    expect(requests[0]?.body).toEqual({ note: { title: 'Call' }, contact_emails: ['a@x.com'] });
  });

  it('waits for a note whose first attempt is still running', async () => {
    const { url, requests } = await fixture.start((_request, response, times) =>
      times === 0 ? answerError(response, 409) : 'create',
    );
    expect(report(await importNotes(notes, url))).toMatchObject({ complete: true, created: 2, rejected: 0 });
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size]).toEqual([4, 2]);
  });

  it('is readable only by its owner', async () => {
    const { url } = await fixture.start();
    await importNotes(equalNotes, url);
    expect((await stat(fixture.path('notes.progress'))).mode & 0o777).toBe(0o600);
  });

  it('never sends a line again that the progress file has', async () => {
    const { url, requests } = await fixture.start();
    expect(report(await importNotes(notes, url))).toMatchObject({ created: 2, matched: 0 });
    expect(report(await importNotes(notes, url))).toMatchObject({ rows: 2, created: 0, matched: 2, rejected: 0 });
    expect(requests).toHaveLength(2);
  });

  it('resends rejected lines, and a line whose number is incomplete', async () => {
    let isRefusing = true;
    const { url, requests } = await fixture.start((_request, response) =>
      isRefusing && requests.length === 1 ? answerError(response, 400, { errors: { 'note.title': 'no' } }) : 'create',
    );
    expect((await importNotes(notes, url)).exitCode).toBe(1);
    expect((await readProgress()).split('\n').slice(1)).toEqual(['3', '']);
    isRefusing = false;
    await appendFile(fixture.path('notes.progress'), '2');
    expect(report(await importNotes(notes, url))).toMatchObject({ created: 1, matched: 1 });
    expect((await readProgress()).split('\n').slice(1)).toEqual(['3', '2', '']);
  });

  it('refuses another version of the file, another address, another key and another file', async () => {
    const { url, requests } = await fixture.start();
    const { url: otherUrl } = await fixture.start();
    await importNotes(notes, url);
    const refused = [
      [await importNotes(`${notes}New,b@x.com\n`, url), 'belongs to another version of this file'],
      [await importNotes(notes, otherUrl), `belongs to an import into ${url}`],
      [await importNotes(notes, url, ['--api-key', 'crm_live_y']), 'with another API key'],
    ] as const;
    await fixture.write('notes.progress', 'mine');
    const foreign = await importNotes(notes, url);
    for (const [result, reason] of [...refused, [foreign, 'is not a progress file'] as const]) {
      expect(result.exitCode).toBe(1);
      expect(result.stderr + result.stdout).toContain(reason);
    }
    expect(await readProgress()).toBe('mine');
    expect(requests).toHaveLength(2);
  });
});
