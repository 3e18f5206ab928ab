import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { createClient } from '@crm/client';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { readMapping } from '../src/import/mapping/mapping.js';
import { useImportFixture, pipelineId } from './import-fixture.js';
import { runCrm, type CrmResult } from './run-crm.js';
import { administer } from './support/administered-database.js';

const fixture = useImportFixture();

const init = async (csv: string | Buffer, ...more: string[]): Promise<CrmResult> => {
  await fixture.write('my.csv', csv);
  return runCrm(['import', 'init', fixture.path('my.csv'), '--output', fixture.path('my.yaml'), ...more]);
};
const mappingText = (): Promise<string> => readFile(fixture.path('my.yaml'), 'utf8');

const german = [
  'Bezeichnung;Sparte;Wert;Betrag (netto);Abschlußdatum;Firma;Ansprechpartner;E-Mail;Währung',
  'Müller;neu;gut;1.234,56 €;31.12.2025;Müller GmbH;Frau A;a@x.com;EUR',
  'Meier;neu;;7,00 €;1.2.2026;Meier AG;Herr B;b@x.com;EUR',
  'Mayer;neu;;auf Anfrage;31.2.2026;Mayer KG;;;EUR',
].join('\n');

describe('crm import init', () => {
  it('marks apostrophes before formulas, which have two readings unless the file is an export', async () => {
    await init("Domain,Telefon\na.com,'+49 30 123\n");
    expect(await mappingText()).toContain(
      `escaped_formulas: true # CHECK: "'+49 30 123" is read as "+49 30 123"; with false, it stays as it is\n`,
    );
    await fixture.write('export.csv', "id,domain,name,version\n1,a.com,'=1,1\n");
    const { stdout } = await runCrm(['import', 'init', fixture.path('export.csv'), '--output', '-']);
    expect(stdout).toContain('escaped_formulas: true\n');
    await fixture.write('plain.csv', 'Domain\na.com\n');
    expect((await runCrm(['import', 'init', fixture.path('plain.csv'), '--output', '-'])).stdout).not.toContain(
      'escaped',
    );
  });

  it('writes a mapping that can import the file without changes', async () => {
    const csv = Buffer.from(`\ufeff${german}`, 'utf16le');
    const result = await init(csv);
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(result.stdout).toMatch(/is a mapping for opportunities.*Next: crm import .* --dry-run\n$/s);
    const text = await mappingText();
    expect(readMapping('my.yaml', text)).toMatchObject({ object: 'opportunity' });
    const { url, requests } = await fixture.start();
    await fixture.write('deals.yaml', `pipeline_id: ${pipelineId}\n${text}`);
    const imported = await fixture.import(csv, url, [], undefined, 'text');
    expect(imported.stdout).toContain('created  2');
    expect(imported.stdout).toContain('rejected 1');
    expect(requests.map(({ body }) => body)).toContainEqual({
      pipeline_id: pipelineId,
      opportunity: { name: 'Müller', deal_size: 1234.56, currency: 'EUR', close_date: Date.UTC(2025, 11, 31) },
      related_objects: { primary_contact_email: 'a@x.com' },
    });
    // A create of a deal takes no name of its account.
    expect(requests[0]).toMatchObject({ path: '/v1/inbound/accounts', body: { domain: 'x.com', name: 'Müller GmbH' } });
  });

  it('marks decisions for the user, and suggests fields for unmatched columns', async () => {
    await init(german);
    const text = await mappingText();
    expect(text).toMatch(/# custom_fields\.sparte: \{ column: Sparte \}/);
    // The import rejects these rows, so that they need no decision.
    expect(text.match(/# (CHECK|does): ?.*|# does .*/g)).toEqual([
      '# does not fit 1 of 3 values: "auf Anfrage"',
      '# does not fit 1 of 3 values: "31.2.2026"',
    ]);
    await init('Firma;Betrag;closed\nA;1,5 x 3;Q3 26\n', '--output', fixture.path('other.yaml'));
    const other = await readFile(fixture.path('other.yaml'), 'utf8');
    expect(other).toMatch(/name: # CHECK: no matching column found/);
    expect(other).toMatch(/# account_domain: \{ column: Firma, .*slug_domain/);
    expect(other).toMatch(/amount: # CHECK: "1,5 x 3" is not a number of a known format/);
    expect(other).toMatch(/close_date:\n.*\n.*# CHECK: enter the format of "Q3 26"/);
    await init('Firma;Branche\nA;B\n', '--object', 'accounts', '--output', fixture.path('accounts.yaml'));
    const accounts = await readFile(fixture.path('accounts.yaml'), 'utf8');
    expect(accounts).toMatch(/domain:\n.*Firma\n.*slug_domain.*# CHECK/);
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
    ['Firma,Vorname,Nachname,E-Mail-Adresse', 'contacts', ['email', 'first_name', 'last_name']],
    ['Firma,Webseite,Branche', 'accounts', ['domain', 'name', 'industry']],
    [
      'Firma,Webseite,Währung,Betrag,Phase,Projekt,Verantwortlicher',
      'opportunities',
      ['name', 'stage', 'amount', 'currency', 'account_domain', 'account_name', 'owner_email'],
    ],
  ])('recognizes from %s that these are %s', async (header, object, fields) => {
    const { stdout } = await init(`${header}\n`, '--json');
    const result = JSON.parse(stdout) as { object: string; fields: readonly { field: string }[]; missing: string[] };
    expect(result).toMatchObject({ object, missing: [] });
    expect(result.fields.map(({ field }) => field)).toEqual(fields);
    expect(readMapping('my.yaml', await mappingText()).fields).toHaveLength(fields.length);
  });

  it('stops the import at a line marked CHECK, and shows it in a dry run', async () => {
    const { url, requests } = await fixture.start();
    const csv = 'Deal;Betrag\nD;12.500\nE;950\n';
    const { stdout } = await init(csv);
    expect(stdout).toMatch(/marked CHECK \(1\).*\n {2}CHECK: "12\.500" is 12\.5, or 12500 with/s);
    await fixture.write('deals.yaml', `pipeline_id: ${pipelineId}\n${await mappingText()}`);
    const stopped = await fixture.import(csv, url);
    expect(stopped).toMatchObject({ exitCode: 78, stderr: expect.stringMatching(/deals\.yaml:9: CHECK: "12\.500"/) });
    const dry = await fixture.import(csv, url, ['--dry-run']);
    expect(dry).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/The import stops at deals\.yaml:9: CHECK/),
    });
    expect(requests).toHaveLength(0);
    await fixture.write('deals.yaml', `pipeline_id: ${pipelineId}\n${(await mappingText()).replace(/ # CHECK.*/, '')}`);
    expect(await fixture.import(csv, url)).toMatchObject({ exitCode: 0 });
  });

  it('prints a command that works as printed, and the columns that are left out', async () => {
    await fixture.write("Bob's deals.csv", 'x\nDeal,Amount,Colour\nD,5,red\n');
    const file = fixture.path("Bob's deals.csv");
    const { stdout } = await runCrm([
      'import',
      'init',
      file,
      '--header-line',
      '2',
      '--output',
      fixture.path('my.yaml'),
    ]);
    expect(stdout).toContain('Not imported: Colour\n');
    const command = /Next: crm (import .*)/.exec(stdout)?.[1] ?? '';
    const printed = await promisify(execFile)('sh', ['-c', `printf '%s\\n' ${command}`]);
    const rejects = ['--rejects', fixture.path('rejects.csv')];
    const dry = await runCrm([...printed.stdout.trim().split('\n'), ...rejects, '--json']);
    expect(JSON.parse(dry.stdout)).toMatchObject({ rows: 1, rejected: 0 });
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

describe('the example mapping', () => {
  const example = (name: string): string => fileURLToPath(new URL(`../examples/${name}`, import.meta.url));
  const sample = example('sales-pipeline.sample.csv');
  const mapping = example('sales-pipeline.yaml');
  const { databaseUrl, readUrl, inboundUrl } = readTestStack();
  const administered = administer(databaseUrl);
  afterAll(() => administered.close());
  let apiKey: string;
  let sales: string;
  let stageIds: ReadonlyMap<string, string>;
  beforeAll(async () => {
    const org = await administered.createOrganization();
    const key = await administered.crmJson('key', 'create', '--org', org, '--allow', 'list,setup');
    apiKey = String(key['api_key']);
    const stages = ['Prospecting', 'Engaging', 'Won', 'Lost'].map((label) => ({ label }));
    const { data } = await createClient({ readUrl, inboundUrl, apiKey }).pipelines.create({ name: 'Sales', stages });
    sales = data.pipeline.pipeline_id;
    stageIds = new Map(data.stages.map(({ label, stage_id: id }) => [label, id]));
  });

  const importSample = (url: string, ...more: string[]): Promise<CrmResult> => {
    const files = [sample, '--mapping', mapping, '--rejects', fixture.path('rejects.csv')];
    return runCrm(['import', ...files, '--url', url, '--api-key', apiKey, '--batch', '1', ...more]);
  };

  it('fits its sample without a server', async () => {
    const result = await runCrm(['import', sample, '--mapping', mapping, '--dry-run', '--json']);
    expect(JSON.parse(result.stdout)).toMatchObject({ rows: 8, rejected: 0 });
  });

  it('sends these requests, with the pipeline found by name and the stages by label', async () => {
    const { url, requests } = await fixture.start();
    const result = await importSample(url, '--read-url', readUrl, '--pipeline', 'Sales', '--concurrency', '1');
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('created  8') });
    expect(requests[2]?.body).toEqual({
      pipeline_id: sales,
      opportunity: {
        name: 'MG Special SAMPLE03',
        stage_id: stageIds.get('Lost'),
        deal_size: 0,
        close_date: Date.UTC(2025, 1, 28),
        custom_fields: { product: 'MG Special', engage_date: Date.UTC(2025, 0, 9) },
      },
      related_objects: { account_domain: 'halemossco.com', owner_email: 'bruno.keller@example.com' },
    });
    expect(requests[3]?.body).toEqual({
      pipeline_id: sales,
      opportunity: {
        name: 'GTX Plus Pro SAMPLE04',
        stage_id: stageIds.get('Prospecting'),
        custom_fields: { product: 'GTX Plus Pro' },
      },
      related_objects: { owner_email: 'bruno.keller@example.com' },
    });
  });

  it('reports what is missing to find the pipeline and the stages, before anything is sent', async () => {
    const { url, requests } = await fixture.start();
    const expectations: [string[], number, RegExp][] = [
      [[], 2, /No pipeline is given\./],
      [['--pipeline', 'Sales'], 2, /Give --read-url/],
      [['--pipeline', pipelineId], 2, /Give --read-url/],
      [['--pipeline', 'Nope', '--read-url', readUrl], 1, /no pipeline Nope\. The pipelines are: Sales\./],
      [['--pipeline', pipelineId, '--read-url', readUrl], 1, /no pipeline \S+\. The pipelines are: Sales\./],
      [
        ['--pipeline', sales, '--read-url', `${readUrl}/`, '--api-key', 'other'],
        1,
        /answered HTTP 401: .* Check --api-key/,
      ],
      [['--pipeline', pipelineId, '--read-url', 'http://127.0.0.1:2'], 1, /does not answer/],
    ];
    for (const [args, exitCode, stderr] of expectations) {
      expect(await importSample(url, ...args)).toMatchObject({ exitCode, stderr: expect.stringMatching(stderr) });
    }
    expect(requests).toHaveLength(0);
  });
});
