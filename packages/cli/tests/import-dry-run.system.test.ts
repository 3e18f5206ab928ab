import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@crm/client';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCrm } from './run-crm.js';
import { administer, type AdministeredDatabase } from './support/administered-database.js';

const { databaseUrl, readUrl, inboundUrl } = readTestStack();
let administered: AdministeredDatabase;
let directory: string;
let apiKey: string;
let org: string;

const path = (name: string): string => join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-dry-run-'));
  administered = administer(databaseUrl);
  org = await administered.createOrganization();
  const key = await administered.crmJson('key', 'create', '--org', org, '--allow', 'list,bulk,search,setup');
  apiKey = String(key['api_key']);
  const { fields, members, pipelines } = createClient({ readUrl, inboundUrl, apiKey });
  const stages = [{ label: 'Neu' }, { label: 'Gewonnen' }, { label: 'Alt' }];
  const { data: vertrieb } = await pipelines.create({ name: 'Vertrieb', stages });
  await pipelines.updateStage(vertrieb.stages[2]?.stage_id ?? '', { is_active: false });
  await members.create({ email: 'ada@example.com', name: 'Ada' });
  const options = ['Dach', 'Wand', 'Keller'].map((label) => ({ value: label.toLowerCase(), label }));
  const object = 'opportunity';
  await fields.create({ object, slug: 'area', current_name: 'Fläche', attribute_type: 'number' });
  const product = { object, slug: 'product', current_name: 'Produkt', attribute_type: 'select', options } as const;
  const { data } = await fields.create(product);
  await fields.updateOption(data.field.field_id ?? '', { value: 'keller', is_active: false });
});
afterAll(async () => {
  await administered.close();
  await rm(directory, { recursive: true });
});

const rows = [
  'Vorgangsnr;Projekt;Firma;E-Mail;Betrag;Währung;Phase;Abschlussdatum;Verantwortlich;Produkt;Fläche',
  'V1;Halle;Müller GmbH;a@mueller.example;1.234,50 €;EUR;Neu;31.12.2026;ada@example.com;Dach;12,5',
  'V2;Büro;Süß & Co;b@suess.example;12.500 €;EUR;Gewonnen;01.02.2027;ada@example.com;Wand;7',
  'V3;Tor;Müller GmbH;a@mueller.example;auf Anfrage;EUR;Neu;02.02.2027;ada@example.com;Dach;8',
  'V4;Dach;Müller GmbH;mueller.example;3 €;EUR;Neu;31.02.2027;ada@example.com;Dach;9',
  'V5;Wand;Müller GmbH;a at b@mueller.example;4 €;EUR;Neu;04.02.2027;ada@example.com;Dach;9',
  'V6;Zaun;Müller GmbH;a@mueller.example;5 €;EUR;Neu;05.02.2027;nobody@example.com;Dach;9',
  'V7;Hof;Müller GmbH;a@mueller.example;6 €;EUR;Neu;06.02.2027;ada@example.com;Keller;9',
  'V8;Weg;Müller GmbH;a@mueller.example;7 €;Euro;Neu;07.02.2027;ada@example.com;Dach;9',
  'V9;Steg;Müller GmbH;a@mueller.example;8 €;EUR;Offen;08.02.2027;ada@example.com;Dach;9',
  'V1;Halle 2;Möller GmbH;c@mueller.example;9 €;EUR;Neu;31.12.2026;ada@example.com;Dach;12,5',
  ';;;;;;;;;;',
];

interface Report {
  readonly created: number;
  readonly updated: number;
  readonly rejected: number;
  readonly warnings: number;
  readonly reject_reasons: readonly unknown[];
}

describe('crm import of a German file', () => {
  it('guesses the mapping, also of custom fields, and the dry run finds the faults that the import finds', async () => {
    await writeFile(path('deals.csv'), `\uFEFF${rows.join('\r\n')}\r\n`);
    const connection = ['--read-url', readUrl, '--url', inboundUrl, '--pipeline', 'Vertrieb'];
    const files = [path('deals.csv'), '--mapping', path('deals.yaml'), '--rejects', path('rejects.csv')];
    const key = ['--api-key', apiKey];
    const target = ['--output', path('deals.yaml'), '--url', readUrl];
    const init = await runCrm(['import', 'init', path('deals.csv'), ...target, ...key]);
    expect(init.stdout).toMatch(/custom_fields\.area +from Fläche\n/);
    const run = async (...more: string[]): Promise<Report> => {
      const { stdout } = await runCrm(['import', ...files, ...connection, ...key, ...more, '--json']);
      return JSON.parse(stdout) as Report;
    };
    const dry = await run('--dry-run');
    expect(dry).toMatchObject({ created: 0, rejected: 7, warnings: 1 });
    const real = await run();
    expect(real).toMatchObject({ created: 2, updated: 1, rejected: 7 });
    expect(dry.reject_reasons).toEqual(real.reject_reasons);
    expect(dry.reject_reasons).toHaveLength(8);
    expect(JSON.stringify(dry.reject_reasons)).toContain('the stages are: Neu, Gewonnen"');
    const warnings = await readFile(path('rejects.warnings.csv'), 'utf8');
    expect(warnings).toMatch(/^\uFEFFline;/);
    expect(warnings).toMatch(
      /^11;"name; amount; account_name";"is the same record as line 2; name: [^"]*";V1;Halle 2;/m,
    );
    const { accounts, opportunities } = createClient({ readUrl, inboundUrl, apiKey });
    const { data: named } = await accounts.getByDomain('mueller.example');
    expect(named.account.name).toBe('Müller GmbH');
    const { data } = await opportunities.search({ sort: 'name', fields: ['amount'] }).page();
    expect(data.opportunities).toMatchObject([
      { name: 'Büro', amount: 12500 },
      { name: 'Halle', amount: 1234.5 },
    ]);
  });
});

describe('crm import of notes', () => {
  it('finds notes without a record in a dry run, and adds nothing if its export is imported again', async () => {
    const created = await administered.crmJson('key', 'create', '--org', org, '--allow', 'list,inbound');
    const server = ['--api-key', String(created['api_key']), '--read-url', readUrl];
    await writeFile(
      path('notes.csv'),
      'Title,Note,Contact email\nCall,First,ann@x.example\nMail,Alone,\nFax,,no address\n',
    );
    await runCrm(['import', 'init', path('notes.csv'), '--output', path('notes.yaml')]);
    const files = [path('notes.csv'), '--mapping', path('notes.yaml'), '--rejects', path('notes-rejects.csv')];
    const run = async (args: string[], ...more: string[]): Promise<Report> => {
      const { stdout } = await runCrm(['import', ...args, '--url', inboundUrl, ...server, '--json', ...more]);
      return JSON.parse(stdout) as Report;
    };
    const dry = await run(files, '--dry-run');
    const real = await run(files);
    expect(dry).toMatchObject({ rejected: 2 });
    expect(real).toMatchObject({ created: 1, rejected: 2 });
    expect(dry.reject_reasons).toEqual(real.reject_reasons);
    for (const format of ['csv', 'jsonl']) {
      const exported = path(`exported.${format}`);
      await runCrm([
        'export',
        'notes',
        '--format',
        format,
        '--output',
        exported,
        '--url',
        readUrl,
        ...server.slice(0, 2),
      ]);
      expect(await run([exported])).toMatchObject({ created: 0, matched: 1, rejected: 0 });
    }
  });
});
