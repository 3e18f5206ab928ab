import { readFile } from 'node:fs/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { readMapping } from '../src/import/mapping/mapping-reader.js';
import { ImportFixture } from './import-fixture.js';
import { runCrm, type CrmResult } from './run-crm.js';

let fixture: ImportFixture;
beforeEach(async () => {
  fixture = await ImportFixture.create();
});
afterEach(() => fixture.remove());

const init = async (csv: string | Buffer, ...more: string[]): Promise<CrmResult> => {
  await fixture.write('my.csv', csv);
  return runCrm(['import', 'init', fixture.path('my.csv'), '--output', fixture.path('my.yaml'), ...more]);
};
const mappingText = (): Promise<string> => readFile(fixture.path('my.yaml'), 'utf8');

const german = [
  'Deal;Phase;Wert;Value;Close Date;Company;Email',
  'Müller;neu;1;1.234,56 €;31.12.2025;Müller GmbH;a@x.com',
  'Meier;neu;2;7,00 €;1.2.2026;Meier AG;b@x.com',
].join('\n');

describe('crm import init', () => {
  it('writes a mapping that can import the file without changes', async () => {
    const result = await init(Buffer.from(german, 'utf16le'));
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(result.stdout).toMatch(/is a mapping for opportunities.*Next: crm import .* --dry-run\n$/s);
    const text = await mappingText();
    expect(readMapping('my.yaml', text)).toMatchObject({ object: 'opportunity' });
    const { url, requests } = await fixture.start();
    await fixture.write('my.yaml', `pipeline_id: 01890000-0000-7000-8000-000000000001\n${text}`);
    const args = ['--mapping', fixture.path('my.yaml'), '--url', url, '--api-key', 'crm_live_x', '--batch', '1'];
    const imported = await runCrm([
      'import',
      fixture.path('my.csv'),
      ...args,
      '--rejects',
      fixture.path('rejects.csv'),
    ]);
    expect(imported.stdout).toContain('created  2');
    expect(requests.map(({ body }) => body)).toContainEqual({
      pipeline_id: '01890000-0000-7000-8000-000000000001',
      opportunity: { name: 'Müller', deal_size: 1234.56, close_date: Date.UTC(2025, 11, 31) },
      related_objects: { primary_contact_email: 'a@x.com' },
    });
  });

  it('marks decisions for the user, and suggests fields for unmatched columns', async () => {
    await init(german);
    const text = await mappingText();
    expect(text).toMatch(/# {3}column: Company\n.*slug_domain/);
    expect(text).toMatch(/# custom_fields\.phase:\n.*column: Phase/);
    expect(text).not.toMatch(/CHECK: (?!enter)/);
    await init('Betrag;closed\n1,5 x 3;soon\n', '--object', 'opportunities', '--output', fixture.path('other.yaml'));
    const other = await readFile(fixture.path('other.yaml'), 'utf8');
    expect(other).toMatch(/name: # CHECK: no matching column found/);
    expect(other).toMatch(/close_date:\n.*\n.*# CHECK: enter the format of "soon"/);
  });

  it.each([
    [
      'First Name,Last Name,E-Mail,Title,Mobile',
      'contacts',
      ['email', 'first_name', 'last_name', 'job_title', 'phone'],
    ],
    ['Company,Website,Industry,Employees', 'accounts', ['domain', 'name', 'industry', 'employee_range']],
    ['Subject,Body,Contact Email', 'notes', ['title', 'content', 'contact_emails']],
    ['Opportunity Name,Stage,Amount,Owner', 'opportunities', ['name', 'stage', 'amount', 'owner_email']],
  ])('recognizes from %s that these are %s', async (header, object, fields) => {
    const { stdout } = await init(`${header}\n`, '--json');
    const result = JSON.parse(stdout) as { object: string; fields: readonly { field: string }[]; missing: string[] };
    expect(result).toMatchObject({ object, missing: [] });
    expect(result.fields.map(({ field }) => field)).toEqual(fields);
    expect(readMapping('my.yaml', await mappingText()).fields).toHaveLength(fields.length);
  });

  it('keeps an existing mapping, and prints to stdout with --output -', async () => {
    await fixture.write('my.yaml', 'edited');
    expect(await init(german)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--output') });
    expect(await mappingText()).toBe('edited');
    const printed = await runCrm(['import', 'init', fixture.path('my.csv'), '--output', '-', '--delimiter', ';']);
    expect(printed.stdout).toMatch(/^# Guessed by crm import init from my\.csv/);
    expect(await runCrm(['import', 'init', fixture.path('none.csv')])).toMatchObject({ exitCode: 78 });
  });
});
