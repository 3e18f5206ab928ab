import { bulkCreateAccounts, createAccount } from '@crm/contract';
import { changeSetup, deleteFieldChange } from '@crm/db';
import type { Answer } from '@crm/testing';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { unknownId } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';
import { useOrganization } from './support/use-organization.js';

const gateway = useGateway();
const { organization, expectStatus: send, rows } = useOrganization(gateway);
let fieldId: string;

const newField = async (slug: string, attribute_type = 'string'): Promise<string> => {
  const body = { object: 'account', current_name: slug, slug, attribute_type };
  const { data } = await send('POST', 'fields', body);
  return (data as { field: { field_id: string } }).field.field_id;
};
const newAccount = async (custom_fields: object, status = 200): Promise<Answer> =>
  send('POST', 'accounts', { domain: 'acme.example', custom_fields }, status);
const accountId = ({ data }: Answer): string => (data as { company_id: string }).company_id;
const fields = () =>
  rows('SELECT f.slug, f.position FROM custom_fields f WHERE f.organization_id = $1 ORDER BY f.position');
const stages = () =>
  rows(`SELECT s.label, s.position FROM stages s JOIN pipelines p ON p.organization_id = $1 AND p.id = s.pipeline_id
         WHERE s.organization_id = $1 AND p.name = 'Sales' ORDER BY s.position`);

beforeEach(async () => {
  fieldId = await newField('tier');
});

describe('200', () => {
  test('deletes a field without values and closes its gap; its slug can be used for another type', async () => {
    await newField('level');
    const body = { object: 'opportunity', current_name: 'Place', slug: 'place', attribute_type: 'string' };
    const id = organization.pipeline.id;
    const placed = await send('POST', 'fields', { ...body, pipeline_ids: [id] });
    await send('DELETE', `fields/${(placed.data as { field: { field_id: string } }).field.field_id}`);
    expect((await send('DELETE', `fields/${fieldId}`)).data).toEqual({ id: fieldId });
    expect(await fields()).toEqual([{ slug: 'level', position: 1 }]);
    await newAccount({ tier: 'A' }, 400);
    await newField('tier', 'number');
    await newAccount({ tier: 3 });
    const audit = await rows(
      `SELECT a.details FROM audit_events a WHERE a.organization_id = $1 AND a.action = 'field.delete' AND a.target = '${fieldId}'`,
    );
    expect(audit).toEqual([{ details: { object: 'account', slug: 'tier', target_name: 'tier' } }]);
  });

  test('deletes a stage without deals and closes its gap', async () => {
    const [first] = organization.pipeline.stages;
    expect((await send('DELETE', `stages/${first?.id}`)).data).toEqual({ id: first?.id });
    expect(await stages()).toEqual([
      { label: 'Qualified', position: 1 },
      { label: 'Won', position: 2 },
    ]);
  });

  test('a record that is restored leaves out the values of deleted fields, also if the slug is used again', async () => {
    const other = await newField('level');
    const id = accountId(await newAccount({ tier: 'A', level: 'B' }));
    await send('DELETE', `accounts/${id}`);
    for (const field of [fieldId, other]) await send('DELETE', `fields/${field}`);
    await newField('tier', 'number');
    const [event] = await rows(`SELECT max(e.position)::int AS position FROM events e WHERE e.organization_id = $1`);
    await send('POST', 'restore', event);
    expect(await rows('SELECT a.id, a.custom_fields FROM accounts a WHERE a.organization_id = $1')).toEqual([
      { id, custom_fields: {} },
    ]);
  });
});

describe('409', () => {
  test('counts the records that have a value of the field, also if it is archived', async () => {
    const id = accountId(await newAccount({ tier: 'A' }));
    await send('PATCH', `fields/${fieldId}`, { is_active: false });
    expect((await send('DELETE', `fields/${fieldId}`, undefined, 409)).body).toMatchObject({ counts: { accounts: 1 } });
    await send('PATCH', `fields/${fieldId}`, { is_active: true });
    await send('PATCH', `accounts/${id}`, { custom_fields: { tier: null } });
    await send('DELETE', `fields/${fieldId}`);
  });

  test('counts the deals of a stage, and keeps the last stage that is not archived', async () => {
    const [first, second, third] = organization.pipeline.stages.map(({ id }) => id);
    const opportunity = { name: 'A', stage_id: first };
    await send('POST', 'opportunities', { pipeline_id: organization.pipeline.id, opportunity });
    expect((await send('DELETE', `stages/${first}`, undefined, 409)).body).toMatchObject({
      counts: { opportunities: 1 },
    });
    await send('PATCH', `stages/${first}`, { is_active: false, move_opportunities_to: third });
    await send('DELETE', `stages/${second}`);
    await send('DELETE', `stages/${first}`);
    await send('DELETE', `stages/${third}`, undefined, 409);
  });

  test('no record gets a value of a field that was deleted a moment ago, also from gateways that have not seen it', async () => {
    await newAccount({});
    const origin = { actor: 'test', osUser: null, commandId: unknownId };
    const change = deleteFieldChange({ id: fieldId, objectType: 'account', slug: 'tier' });
    await changeSetup(gateway().writeDatabase, organization.id, [change], origin);
    const options = { key: organization.key, query: { on_match: 'update' } };
    const item = { domain: 'acme.example', custom_fields: { tier: 'A' } };
    const [one, many] = await Promise.all([
      gateway().client.call(createAccount, { ...options, body: item }),
      gateway().client.call(bulkCreateAccounts, { ...options, body: { items: [item] } }),
    ]);
    // Once the gateway has seen the deletion, which takes up to a second, the field is an error of the request or item.
    expect([400, 409]).toContain(one.status);
    expect([200, 409]).toContain(many.status);
    const shown = await rows('SELECT a.custom_fields FROM accounts a WHERE a.organization_id = $1');
    expect(shown).toEqual([{ custom_fields: {} }]);
  });
});

test.each(['fields', 'stages'])('404: %s of another organization, and unknown ones', async (collection) => {
  const { id } = gateway().stranger.pipeline.stages[0] ?? { id: '' };
  for (const other of [id, unknownId]) await send('DELETE', `${collection}/${other}`, undefined, 404);
});
