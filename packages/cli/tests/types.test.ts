import { readFile } from 'node:fs/promises';
import { type CreateField, createClient } from '@crm/client';
import { readTestStack } from '@crm/testing';
import { expect, it } from '@jest/globals';
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

it('crm types writes the custom fields, with which the client takes a Date wherever a field holds one', async () => {
  const administered = administer(databaseUrl);
  const org = await administered.createOrganization();
  const key = await administered.crmJson('key', 'create', '--org', org, '--allow', 'list,search,inbound,setup');
  await administered.close();
  const apiKey = String(key['api_key']);
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
