import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { convertRow } from '../mapping/convert-row.js';
import { readMapping } from '../mapping/mapping.js';
import { openCsv, type SourceRow } from '../source/csv-rows.js';
import { guessObject } from './column-names.js';
import { guessMapping } from './mapping-text.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-layouts-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** Guesses a mapping for a file and converts its rows with it, as `init` and `import` do. */
const importOf = async (content: string | Buffer) => {
  const file = join(directory, 'in.csv');
  await writeFile(file, content);
  const source = await openCsv(file, { takesFirstEncoding: true });
  const rows: SourceRow[] = [];
  for await (const row of source.rows) rows.push(row);
  const columns = new Map(source.columns.map((name) => [name, rows.map(({ row }) => row.get(name) ?? '')]));
  const object = guessObject(columns);
  const { text, leftOut } = guessMapping({ name: 'in.csv', object, columns, customFields: [], settings: [] });
  const mapping = readMapping('in.yaml', text);
  const pipeline =
    object === 'opportunity'
      ? { id: 'p', stageId: (label: string) => ({ ok: true as const, value: label }) }
      : undefined;
  const bodies = rows.map(({ row, problems }) =>
    problems.length > 0 ? { problems } : convertRow(mapping, pipeline, row),
  );
  const values = bodies.map((one) => {
    if (typeof one === 'string' || one.problems.length > 0) return one;
    const { opportunity = {}, note = {}, related_objects: related = {}, ...rest } = ('body' in one && one.body) || {};
    const values: Record<string, unknown> = {
      ...(opportunity as object),
      ...(note as object),
      ...(related as object),
      ...rest,
    };
    delete values['pipeline_id'];
    return values;
  });
  const checks = mapping.undecided.map((line) => line.replace(/^.*?CHECK: /, ''));
  return { object, values, checks, leftOut, doubtful: source.doubtful?.[0]?.encoding };
};

const day = (text: string): number => Date.parse(text);

describe('the layout of', () => {
  it.each([
    [
      'Google',
      'First Name,Middle Name,Last Name,Organization Name,Organization Title,Notes,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value\nAnn,,Abel,Acme,Boss,,* myContacts,Work,ann@g.example,Work,030 1\n',
      'contact',
      { first_name: 'Ann', last_name: 'Abel', job_title: 'Boss', email: 'ann@g.example', phone: '030 1' },
      [],
    ],
    [
      'Google before 2024',
      'Name,Given Name,Additional Name,Family Name,E-mail 1 - Type,E-mail 1 - Value,Phone 1 - Type,Phone 1 - Value,Organization 1 - Name,Organization 1 - Title\nAnn Abel,Ann,,Abel,* Work,ann@g.example ::: a@g.example,Work,030 1,Acme,Boss\n',
      'contact',
      { first_name: 'Ann', last_name: 'Abel', job_title: 'Boss', email: 'ann@g.example', phone: '030 1' },
      ['only the first address of "ann@g.example ::: a@g.example" is imported'],
    ],
    [
      'Outlook',
      'First Name,Middle Name,Last Name,Title,Suffix,E-mail Address,E-mail 2 Address,Business Phone,Mobile Phone,Job Title,Company\nAnn,,Abel,Dr.,,ann@o.example,,030 1,,Boss,Acme\n',
      'contact',
      { first_name: 'Ann', last_name: 'Abel', job_title: 'Boss', email: 'ann@o.example', phone: '030 1' },
      [],
    ],
    [
      'German Outlook',
      '"Anrede","Vorname","Weitere Vornamen","Nachname","Suffix","Firma","Abteilung","Position","Telefon geschäftlich","Mobiltelefon","E-Mail-Adresse","E-Mail-Typ"\n"Frau","Ann","","Abel","","Acme","","Leitung","030 1","","ann@o.example","SMTP"\n',
      'contact',
      { first_name: 'Ann', last_name: 'Abel', job_title: 'Leitung', email: 'ann@o.example', phone: '030 1' },
      [],
    ],
    [
      'Thunderbird',
      'First Name,Last Name,Display Name,Nickname,Primary Email,Secondary Email,Work Phone,Mobile Number,Job Title,Organization,Web Page 1,Notes\nAnn,Abel,Ann Abel,,ann@t.example,,030 1,,Boss,Acme,,\n',
      'contact',
      { first_name: 'Ann', last_name: 'Abel', job_title: 'Boss', email: 'ann@t.example', phone: '030 1' },
      [],
    ],
    [
      'LinkedIn',
      'Notes:\n"When exporting your connection data, you may notice that some emails are missing."\n\nFirst Name,Last Name,URL,Email Address,Company,Position,Connected On\nAnn,Abel,https://www.linkedin.com/in/ann,ann@l.example,Acme,Boss,03 Apr 2026\n',
      'contact',
      { first_name: 'Ann', last_name: 'Abel', job_title: 'Boss', email: 'ann@l.example' },
      [],
    ],
    [
      'Stripe',
      'id,Description,Email,Name,Created (UTC),Delinquent,Card ID,Currency\ncus_1,,ann@s.example,Ann Abel,2026-04-03 10:00,false,,eur\n',
      'contact',
      { external_id: 'cus_1', first_name: 'Ann', last_name: 'Abel', email: 'ann@s.example' },
      ['"Ann Abel" is split at its last space'],
    ],
    [
      'Mailchimp',
      'Email Address,First Name,Last Name,Address,Phone Number,Birthday,MEMBER_RATING,OPTIN_TIME,LEID,EUID,NOTES,TAGS\nann@m.example,Ann,Abel,,030 1,04/03,2,2026-04-03 10:00:00,1,a,,"""x"""\n',
      'contact',
      { first_name: 'Ann', last_name: 'Abel', email: 'ann@m.example', phone: '030 1' },
      [],
    ],
    [
      'HubSpot contacts',
      'Record ID,First Name,Last Name,Email,Phone Number,Contact owner,Associated Company,Lead Status,Create Date\n51,Ann,Abel,ann@h.example,030 1,Bob,Acme,New,2026-04-03 10:00\n',
      'contact',
      { external_id: '51', first_name: 'Ann', last_name: 'Abel', email: 'ann@h.example', phone: '030 1' },
      [],
    ],
    [
      'HubSpot companies',
      'Record ID,Company name,Company Domain Name,Company owner,Industry,Number of Employees,Create Date\n9001,North Inc.,north.example,Bob,Software,50,2026-04-03 10:00\n',
      'account',
      { external_id: '9001', name: 'North Inc.', domain: 'north.example', industry: 'Software', employee_range: '50' },
      [],
    ],
    [
      'HubSpot deals',
      'Record ID,Deal Name,Deal Stage,Pipeline,Amount,Amount in company currency,Currency,Close Date,Deal owner\n7001,North seed,Won,Sales,500.5,500.5,EUR,2026-04-03 10:00,bob@h.example\n',
      'opportunity',
      {
        external_id: '7001',
        name: 'North seed',
        stage_id: 'Won',
        deal_size: 500.5,
        currency: 'EUR',
        close_date: day('2026-04-03T10:00Z'),
        owner_email: 'bob@h.example',
      },
      [],
    ],
    [
      'a Salesforce report of opportunities',
      '"Opportunity ID","Opportunity Name","Stage","Amount Currency","Amount","Amount (converted) Currency","Amount (converted)","Close Date","Account Name","Next Step"\n"0061","Acme - 200","Prospecting","EUR","1234.50","USD","1400.00","4/23/2026","Acme","Call"\n',
      'opportunity',
      {
        external_id: '0061',
        name: 'Acme - 200',
        stage_id: 'Prospecting',
        deal_size: 1234.5,
        currency: 'EUR',
        close_date: day('2026-04-23'),
        next_step: 'Call',
      },
      [],
    ],
    [
      'Salesforce accounts',
      '"Id","Name","Type","BillingCity","Phone","Website","Industry","NumberOfEmployees"\n"0011","Acme","Customer","Berlin","030 1","https://acme.example","Software","50"\n',
      'account',
      { external_id: '0011', name: 'Acme', domain: 'https://acme.example', industry: 'Software', employee_range: '50' },
      [],
    ],
    [
      'Salesforce contacts',
      '"Id","AccountId","LastName","FirstName","Salutation","Phone","MobilePhone","Email","Title"\n"0031","0011","Abel","Ann","Ms.","030 1","","ann@s.example","Boss"\n',
      'contact',
      {
        external_id: '0031',
        account_external_id: '0011',
        first_name: 'Ann',
        last_name: 'Abel',
        email: 'ann@s.example',
        job_title: 'Boss',
        phone: '030 1',
      },
      [],
    ],
    [
      'Pipedrive deals',
      'Deal - ID,Deal - Title,Deal - Value,Deal - Currency,Deal - Stage,Deal - Status,Deal - Organization,Deal - Contact person,Deal - Expected close date,Person - Email - Work\n1,Acme deal,500,EUR,Qualified,Open,Acme,Ann Abel,2026-04-23,ann@p.example\n',
      'opportunity',
      {
        external_id: '1',
        name: 'Acme deal',
        deal_size: 500,
        currency: 'EUR',
        stage_id: 'Qualified',
        close_date: day('2026-04-23'),
        primary_contact_email: 'ann@p.example',
      },
      [],
    ],
    [
      'Pipedrive people',
      'Person - ID,Person - Name,Person - Organization,Person - Email - Work,Person - Phone - Work\n5,Ann Abel,Acme,ann@p.example,030 1\n',
      'contact',
      { external_id: '5', first_name: 'Ann', last_name: 'Abel', email: 'ann@p.example', phone: '030 1' },
      ['"Ann Abel" is split at its last space'],
    ],
    [
      'Zoho deals',
      'Record Id,Deal Name,Amount,Stage,Closing Date,Account Name,Contact Name,Deal Owner\nzcrm_1,Acme deal,500,Qualification,2026-04-23,Acme,Ann Abel,bob@z.example\n',
      'opportunity',
      {
        external_id: 'zcrm_1',
        name: 'Acme deal',
        deal_size: 500,
        stage_id: 'Qualification',
        close_date: day('2026-04-23'),
        owner_email: 'bob@z.example',
      },
      [],
    ],
    [
      'Zoho contacts',
      'Record Id,Contact Owner,Lead Source,First Name,Last Name,Account Name,Email,Title,Phone,Mobile\nzcrm_2,Bob,Web,Ann,Abel,Acme,ann@z.example,Boss,030 1,\n',
      'contact',
      {
        external_id: 'zcrm_2',
        first_name: 'Ann',
        last_name: 'Abel',
        email: 'ann@z.example',
        job_title: 'Boss',
        phone: '030 1',
      },
      [],
    ],
  ])('%s', async (_system, content, object, value, checks) => {
    const read = await importOf(content);
    expect({ object: read.object, value: read.values[0], checks: read.checks }).toEqual({ object, value, checks });
  });

  // Files that were read wrongly: the values, or the line at which the import stops.
  it.each([
    [
      'Deal name;Stage;Amount\nS1;New;250k\nS2;New;1.2M\nS3;New;3M\n',
      [{ deal_size: 250_000 }, { deal_size: 1_200_000 }],
      /"250k" is read as 250000/,
    ],
    ['Deal name;Stage;Amount\nS1;New;−1234.56\nS2;New;12\n', [{ deal_size: -1234.56 }, { deal_size: 12 }], null],
    [
      'Deal name;Stage;Amount\nC1;New;1234.56 CR\nC2;New;12.00 DR\n',
      [{ deal_size: -1234.56 }, { deal_size: 12 }],
      /"1234.56 CR" is read as -1234.56/,
    ],
    ['Deal name;Stage;Amount\nD1;New;$1,234.50\n', [{ deal_size: 1234.5, currency: 'USD' }], /"\$1,234.50" is USD or/],
    ['Deal name;Stage;Close date\nU1;New;03/04/26\nU2;New;05/06/26\n', [{}, {}], /is 2026-04-03, or 2026-03-04/],
    [
      'Deal name;Stage;Close date\nU1;New;01-31-2026\nU2;New;02-05-2026\n',
      [{ close_date: day('2026-01-31') }, { close_date: day('2026-02-05') }],
      null,
    ],
    ['Email,Phone\nde@p.example,+49 (0)30 1234567\n', [{ email: 'de@p.example', phone: '+49 (0)30 1234567' }], null],
    [
      'Deal ID,Deal name,Stage,Amount\nX1,Renewal,New,100\nX2,Renewal,New,200\n',
      [{ name: 'Renewal X1' }, { name: 'Renewal X2' }],
      /"Renewal" is the name of 2 rows with different ids/,
    ],
    ['First name,Email,"Other\ncolumn"\nAnn,ann12@p.example,x\n', [{ first_name: 'Ann' }], null],
    [
      'First name,Email\r\nAnn0,ann0@p.example\nAnn1,ann1@p.example\n',
      [{ first_name: 'Ann0' }, { email: 'ann1@p.example' }],
      null,
    ],
    [
      'sep=;\nVorname;Nachname;E-Mail\nBritt;Berg;b@p.example\n',
      [{ first_name: 'Britt', last_name: 'Berg', email: 'b@p.example' }],
      null,
    ],
    ['Name,Email\nAnn Abel,ann@p.example\n', [{ first_name: 'Ann', last_name: 'Abel' }], /split at its last space/],
    [
      'Title,Note,Contact email\nCall,First,ann@p.example\nMail,Without,\n',
      [{ title: 'Call', content: 'First', contact_emails: ['ann@p.example'] }, { title: 'Mail' }],
      null,
    ],
    [
      'First name,Email\nAnn,ann@p.example,\nBen,ben@p.example,\n',
      [{ first_name: 'Ann' }, { first_name: 'Ben', email: 'ben@p.example' }],
      null,
    ],
    [
      'First name,Job title,Email\nBen,5" pipes,ben@p.example\nCem,3" pipes,cem@p.example\n',
      [{ job_title: '5" pipes' }, { job_title: '3" pipes' }],
      null,
    ],
    ['Company,Website\nAcme,\n'.concat('B,\n'.repeat(20)), [{}], /of 21 cells of Website are empty/],
  ])('a file that begins with %j', async (content, values, check) => {
    const read = await importOf(content);
    expect(read.values.slice(0, values.length)).toMatchObject(values);
    if (check === null) expect(read.checks).toEqual([]);
    else expect(read.checks.join('\n')).toMatch(check);
  });

  it('Windows-1251 is in doubt', async () => {
    const bytes = Buffer.from('c8e2e0ed2ccfe5f2f0eee22c6976616e40702e6578616d706c65', 'hex');
    const read = await importOf(Buffer.concat([Buffer.from('First name,Last name,Email\n'), bytes]));
    expect(read).toMatchObject({ doubtful: 'windows-1251', values: [{ first_name: 'Иван', last_name: 'Петров' }] });
  });
});
