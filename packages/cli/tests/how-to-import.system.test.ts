// Runs the commands of docs/how-to/import-a-csv.md, as printed, on exports of five systems.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createClient } from '@crm/client';
import { readTestStack } from '@crm/testing';
import { afterAll, afterEach, beforeEach, expect, it } from '@jest/globals';

import { runCrm } from './run-crm.js';
import { administer } from './support/administered-database.js';

const { databaseUrl, readUrl, inboundUrl } = readTestStack();
const administered = administer(databaseUrl);
const here = process.cwd();
const page = new URL('../../../docs/how-to/import-a-csv.md', import.meta.url);
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-how-to-'));
  process.chdir(directory);
});
afterEach(async () => {
  process.chdir(here);
  await rm(directory, { recursive: true });
});
afterAll(() => administered.close());

/** The headers of the exports of each system, with the last columns of two companies, people and deals. */
const systems: Readonly<Record<string, Readonly<Record<'companies' | 'people' | 'deals', string>>>> = {
  HubSpot: {
    companies: `"Record ID","Company name","Company Domain Name","Industry","Create Date"
"c1","North Inc.","north.example","CONSTRUCTION","2025-11-03 10:12"\n"c2","South","","","2025-11-03 10:15"\n`,
    people: `"Record ID","First Name","Last Name","Email","Contact owner","Primary Associated Company ID","Associated Company"
"p1","Ann","Abel","ann@north.example","Ann Owner","c1","North Inc."\n"p2","Ben","van Berg","ben@gmail.com","","c2","South"\n`,
    deals: `"Record ID","Deal Name","Deal Stage","Pipeline","Close Date","Deal owner","Amount","Currency","Associated Contact IDs","Associated Contacts","Associated Company IDs","Associated Companies"
"d1","Renewal","Won","default","2026-01-31 10:00","Ann Owner","500.5","EUR","p1","Ann Abel (ann@north.example)","c1","North Inc."
"d2","Renewal","New","default","2026-02-28 22:30","","1200","EUR","p2;p1","Ben van Berg (ben@gmail.com);Ann Abel (ann@north.example)","c2","South"\n`,
  },
  Salesforce: {
    companies: `"Id","IsDeleted","Name","Type","Website","Industry","NumberOfEmployees","OwnerId"
"c1","0","North Inc.","Customer","https://www.north.example/","Manufacturing","1200","o1"\n"c2","0","South","Prospect","","","","o1"\n`,
    people: `"Id","IsDeleted","AccountId","LastName","FirstName","Phone","Email","Title","OwnerId"
"p1","0","c1","Abel","Ann","+43 (0)1 2345678","ann@north.example","CFO","o1"\n"p2","0","c2","van Berg","Ben","","ben@gmail.com","","o1"\n`,
    deals: `"Opportunity ID","Opportunity Name","Stage","Amount Currency","Amount","Close Date","Created Date","Opportunity Owner","Account ID","Account Name","Contact ID"
"d1","Renewal","Won","EUR","500.50","1/31/2026","1/2/2026","Ann Owner","c1","North Inc.","p1"
"d2","Renewal","New","EUR","1,200.00","2/28/2026","1/2/2026","","c2","South","p2"\n`,
  },
  Pipedrive: {
    companies: `Organization - ID,Organization - Name,Organization - Owner,Organization - Website
c1,North Inc.,Ann Owner,north.example\nc2,South,Ann Owner,\n`,
    people: `Person - ID,Person - Name,Person - Phone - Work,Person - Email - Work,Person - Organization,Person - Organization ID
p1,Ann Abel,"030 1, 030 2",ann@north.example,North Inc.,c1\np2,Ben Berg,,"ben@gmail.com, b@home.example",South,c2\n`,
    deals: `Deal - ID,Deal - Title,Deal - Owner,Deal - Value,Deal - Currency of Value,Deal - Organization,Deal - Organization ID,Deal - Contact person,Deal - Contact person ID,Deal - Stage,Deal - Status,Deal - Expected close date
d1,Renewal,Ann Owner,500.5,EUR,North Inc.,c1,Ann Abel,p1,Won,Won,2026-01-31
d2,Renewal,Ann Owner,1200,EUR,South,c2,Ben Berg,p2,New,Open,2026-02-28\n`,
  },
  Zoho: {
    companies: `Record Id,Account Owner.id,Account Owner,Account Name,Website,Industry,Employees
c1,o1,Ann Owner,North Inc.,http://www.north.example,Large Enterprise,10\nc2,o1,Ann Owner,South,,,\n`,
    people: `Record Id,Contact Owner.id,Contact Owner,First Name,Last Name,Account Name.id,Account Name,Email,Title,Phone,Mobile
p1,o1,Ann Owner,Ann,Abel,c1,North Inc.,ann@north.example,CEO,+358 9 123456,\np2,o1,Ann Owner,Ben,Berg,c2,South,ben@gmail.com,,,\n`,
    deals: `Record Id,Deal Owner.id,Deal Owner,Amount,Deal Name,Closing Date,Account Name.id,Account Name,Stage,Contact Name.id,Contact Name,Currency
d1,o1,Ann Owner,500.5,Renewal,2026-01-31,c1,North Inc.,Won,p1,Ann Abel,EUR
d2,o1,Ann Owner,1200,Renewal,2026-02-28,c2,South,New,p2,Ben Berg,EUR\n`,
  },
  Attio: {
    companies: `Record ID,Name,Domains,Description,Employee range
c1,North Inc.,"north.example, north.test",,51-250\nc2,South,,,11-50\n`,
    people: `Record ID,Name,First name,Last name,Email addresses,Company,Company > Record ID,Job title,Phone numbers
p1,Ann Abel,Ann,Abel,ann@north.example,North Inc.,c1,CTO,+4930123456\np2,Ben Berg,Ben,Berg,"ben@gmail.com, b@home.example",South,c2,,\n`,
    deals: `Record ID,Deal name,Deal stage,Deal owner,Deal value,Currency,Close date,Associated people,Associated people > Record ID,Associated company,Associated company > Record ID
d1,Renewal,Won,Ann Owner,500.5,EUR,2026-01-31,Ann Abel,p1,North Inc.,c1
d2,Renewal,New,Ann Owner,1200,EUR,2026-02-28,"Ben Berg, Ann Abel","p2, p1",South,c2\n`,
  },
};

/** Decides the marked lines as the page says: a user would look at each. */
const decide = async (): Promise<void> => {
  for (const name of (await readdir('.')).filter((one) => one.endsWith('.yaml')))
    await writeFile(name, (await readFile(name, 'utf8')).replace(/ # CHECK:.*/g, ''));
};

it.each(Object.keys(systems))('the commands of the page import the files of %s', async (system) => {
  const org = await administered.createOrganization();
  const created = await administered.crmJson('key', 'create', '--org', org, '--allow', 'list,search,bulk,inbound');
  const apiKey = String(created['api_key']);
  // A user would export them as variables, which Jest hides from libraries.
  const gateways = ['--url', inboundUrl, '--read-url', readUrl, '--api-key', apiKey];
  const stages = [{ label: 'New' }, { label: 'Won' }];
  await administered.api(org, 'POST /v1/inbound/pipelines', { name: 'Sales', stages });
  await administered.api(org, 'POST /v1/inbound/members', { email: 'ann.owner@example.com', name: 'Ann' });
  for (const [name, csv] of Object.entries(systems[system] ?? {})) await writeFile(`${name}.csv`, csv);

  const [, section = ''] = /\n## Move from another system\n(.*?)\n## /s.exec(await readFile(page, 'utf8')) ?? [];
  const lines = [...section.matchAll(/^ *npx @crm\/cli (.+)$/gm)].map(([, line = '']) => line);
  expect(lines).toHaveLength(7);
  const run = async (line: string): Promise<number> => {
    const { exitCode, stderr } = await runCrm([...line.split(' '), ...(line.includes(' init ') ? [] : gateways)]);
    expect([line, exitCode === 2 ? stderr : '']).toEqual([line, '']);
    return exitCode;
  };
  for (const line of lines.slice(0, 3)) expect([line, await run(line)]).toEqual([line, 0]);
  await decide();
  const [companies = '', people = '', deals = '', more = ''] = lines.slice(3);
  // The second company has no domain, and gets a made-up one.
  expect(await run(companies)).toBe(1);
  const mapping = await readFile('companies.yaml', 'utf8');
  const name = /\n {2}name:\n {4}column: (.*)\n/.exec(mapping)?.[1] ?? '';
  const transform = /transform: \[\{ slug_domain: [^}]*\}\]/.exec(section)?.[0] ?? '';
  const domain = `  domain:\n    column: ${name}\n    ${transform}\n`;
  await writeFile('more.yaml', mapping.replace(/ {2}domain:\n(?: {4}.*\n)+/, domain));
  for (const line of [more, people, deals]) expect([line, await run(line)]).toEqual([line, 0]);

  const { opportunities } = createClient({ readUrl, inboundUrl, apiKey });
  const fields = ['external_id', 'amount', 'currency', 'close_date', 'account_domain', 'contact_email'] as const;
  const { data } = await opportunities.search({ sort: 'external_id', fields: [...fields] }).page();
  const shown = data.opportunities.map(({ close_date: date, ...one }) => ({
    ...one,
    close_date: new Date(date ?? 0).toISOString().slice(0, 10),
  }));
  expect(shown).toMatchObject([
    {
      external_id: 'd1',
      amount: 500.5,
      close_date: '2026-01-31',
      account_domain: 'north.example',
      contact_email: 'ann@north.example',
    },
    {
      external_id: 'd2',
      amount: 1200,
      close_date: '2026-02-28',
      account_domain: 'south.no-domain.example.com',
      contact_email: 'ben@gmail.com',
    },
  ]);
  expect(shown.map(({ name: one, currency, stage_name: stage }) => [one?.slice(0, 7), currency, stage])).toEqual([
    ['Renewal', 'EUR', 'Won'],
    ['Renewal', 'EUR', 'New'],
  ]);
  // The same commands again write nothing.
  expect(await run(deals)).toBe(0);
  expect((await opportunities.search({}).page()).data.opportunities).toHaveLength(2);
});
