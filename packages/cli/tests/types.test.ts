import { readFile } from 'node:fs/promises';
import { type CreateField, createClient } from '@crm/client';
import { readTestStack } from '@crm/testing';
import { expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { CustomFields } from './custom-fields.js';
import { runCrm } from './run-crm.js';
import { administer } from './support/administered-database.js';

const { databaseUrl, readUrl, inboundUrl } = readTestStack();

const fields: readonly (readonly [string, CreateField['attribute_type'], Partial<CreateField>?])[] = [
  ['signed_on', 'date'],
  ['renewed_at', 'timestamp'],
  ['met_at', 'datetime', { is_hidden: true }],
  ['term', 'date_range'],
  ['site', 'location'],
  ['tier', 'select', { current_name: 'Tier */', options: [{ label: 'Small', value: 'smb' }, { label: '"Large"' }] }],
  ['tags', 'multi_select', { options: [{ label: 'a' }, { label: 'b' }] }],
  ['score', 'rating'],
  ['is_partner', 'checkbox'],
  ['phone_2', 'phone'],
];

const createKey = async (): Promise<string> => {
  const administered = administer(databaseUrl);
  const org = await administered.createOrganization();
  const key = await administered.crmJson('key', 'create', '--org', org, '--allow', 'list,search,inbound,setup');
  await administered.close();
  return String(key['api_key']);
};

it('crm types writes the custom fields, with which the client takes a Date wherever a field holds one', async () => {
  const apiKey = await createKey();
  const { accounts, fields: setup } = createClient<CustomFields>({ readUrl, inboundUrl, apiKey });
  for (const [slug, attribute_type, more] of fields)
    await setup.create({ object: 'account', current_name: slug, slug, attribute_type, ...more });
  const written = await runCrm(['types', '--url', readUrl, '--api-key', apiKey]);
  expect(written).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: await readFile(`${import.meta.dirname}/custom-fields.ts`, 'utf8'),
  });

  const at = new Date('2026-03-02T09:30:00.000Z');
  const midnight = new Date('2026-03-02');
  const custom_fields = { signed_on: midnight, renewed_at: at, met_at: at, term: { start: midnight } };
  const { data } = await accounts.create({ domain: 'acme.example', custom_fields, custom__tier: 'smb' });
  const { account } = (await accounts.get(data.company_id, { fields: ['custom_fields', 'custom__met_at'] })).data;
  const day = '2026-03-02';
  const read = {
    signed_on: day,
    renewed_at: at.getTime(),
    met_at: at.toISOString(),
    term: { start: day, end: null },
    tier: 'smb',
  };
  expect(account.custom_fields).toEqual(read);
  const names = [
    'created_at',
    'custom__signed_on',
    'custom__renewed_at',
    'custom__met_at',
    'custom__term.start',
  ] as const;
  const filters = names.map(
    (field) =>
      ({
        field,
        operator: 'gte',
        value: field === 'created_at' ? new Date(0) : field.includes('_at') ? at : midnight,
      }) as const,
  );
  expect((await accounts.search({ filters }).page()).data.accounts).toHaveLength(1);
  await expect(accounts.update(data.company_id, { custom__met_at: new Date('soon') })).rejects.toThrow(
    'custom__met_at is an invalid Date',
  );
});

it('crm types --json-schema describes every record as it is read, without archived fields', async () => {
  const apiKey = await createKey();
  const crm = createClient({ readUrl, inboundUrl, apiKey });
  const objects = ['account', 'contact', 'opportunity'] as const;
  const old: string[] = [];
  for (const object of objects) {
    for (const [slug, attribute_type, more] of fields.slice(3))
      await crm.fields.create({ object, current_name: slug, slug, attribute_type, ...more });
    const { field } = (await crm.fields.create({ object, current_name: 'old', slug: 'old', attribute_type: 'string' }))
      .data;
    old.push(String(field.field_id));
  }
  const { pipeline } = (await crm.pipelines.create({ name: 'Sales', stages: [{ label: 'New' }] })).data;
  const custom_fields = { term: { end: '2026-03-02' }, site: 'Zürich', tier: 'smb', tags: ['b'], score: 0, old: 'x' };
  const domain = 'müller.example';
  const related_objects = { account_domain: domain, primary_contact_email: 'a@b.example' };
  await crm.contacts.create({
    email: 'a@b.example',
    custom_fields: { phone_2: '+49 30 1', is_partner: false, old: 'x' },
  });
  await crm.accounts.create({ domain, custom_fields });
  const dates = { close_date: '2026-03-02', next_action_date: '1970-01-02' };
  for (const more of [{}, { name: 'B', deal_size: 0.1, currency: 'EUR', ...dates, custom_fields }])
    await crm.opportunities.create({
      pipeline_id: pipeline.pipeline_id,
      opportunity: { name: 'A', ...more },
      related_objects,
    });
  await crm.notes.create({ note: { content: 'x' }, account_domains: [domain] });
  for (const id of old) await crm.fields.update(id, { is_active: false });

  const { exitCode, stdout } = await runCrm(['types', '--json-schema', '--url', readUrl, '--api-key', apiKey]);
  expect([exitCode, stdout]).toEqual([0, expect.not.stringContaining('"old"')]);
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  formats.default(ajv);
  ajv.addVocabulary(['x-attribute-type', 'x-extensible-enum', 'x-hidden']);
  ajv.addSchema(JSON.parse(stdout) as object, 'crm');
  const reads: readonly (readonly [object: string, list: string, query: string])[] = [
    ['account', 'accounts', ''],
    ['contact', 'contacts', ''],
    ['opportunity', 'opportunities', '?pipeline_id=all'],
    ['note', 'notes', ''],
  ];
  const get = async (path: string) => {
    const answer = await fetch(`${readUrl}/v1/${path}`, { headers: { 'x-api-key': apiKey } });
    return ((await answer.json()) as { data: Readonly<Record<string, unknown>> }).data;
  };
  const read: [string, unknown][] = [];
  for (const [object, list, query] of reads) {
    for (const { id } of (await get(`${list}${query}`))[list] as readonly { id: string }[])
      read.push([object, (await get(`${list}/${id}`))[object]]);
  }
  expect(read.map(([object]) => object).join()).toBe('account,account,contact,opportunity,opportunity,note');
  const faults = read.map(([object, record]) => [ajv.validate(`crm#/$defs/${object}`, record), ajv.errorsText()]);
  expect(faults.filter(([isValid]) => isValid !== true)).toEqual([]);
});
