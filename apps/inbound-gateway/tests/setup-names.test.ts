import { afterEach, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { useGateway } from './support/use-gateway.js';
import { useOrganization } from './support/use-organization.js';

const gateway = useGateway();
const { organization, expectStatus: send } = useOrganization(gateway);
afterEach(() => expectConsistent({ ...gateway(), organization }));

const stage = (label: string): string =>
  organization.pipeline.stages.find((one) => one.label === label)?.id ?? 'no such stage';
const newField = async (body: object): Promise<string> => {
  const data = (await send('POST', 'fields', body)).data as { readonly field: { readonly field_id: string } };
  return data.field.field_id;
};

describe('400', () => {
  test('refuses a label that is the value of another option, and the reverse, and currencies that do not exist', async () => {
    const fieldId = await newField({
      ...{ object: 'opportunity', current_name: 'Tier', slug: 'tier', attribute_type: 'select' },
      options: [{ label: 'Gold', value: 'gold' }, { label: 'Iron' }],
    });
    const option = (method: string, body: object, status: number) =>
      send(method, `fields/${fieldId}/options`, body, status);
    expect((await option('POST', { label: 'GOLD ', value: 'au' }, 400)).errors).toEqual({
      label: 'is used by another option: "GOLD"',
    });
    await option('PATCH', { value: 'Iron', label: 'Ferrum' }, 200);
    expect((await option('POST', { label: 'iron', value: 'fe' }, 400)).errors).toEqual({
      label: 'is the value of another option: "iron"',
    });
    expect((await option('POST', { label: 'Lead', value: 'ferrum' }, 400)).errors).toEqual({
      value: 'is the label of another option: "Ferrum"',
    });
    // The value of an archived option is no value that a request may mean.
    await option('PATCH', { value: 'Iron', is_active: false }, 200);
    await option('POST', { label: 'Iron', value: 'fe' }, 200);
    const currency = {
      object: 'account',
      current_name: 'Fee',
      slug: 'fee',
      attribute_type: 'currency',
      currency: 'ABC',
    };
    expect((await send('POST', 'fields', currency, 400)).errors).toEqual({
      currency: '"ABC" is not a currency of ISO 4217',
    });
  });
});

describe('409', () => {
  test('compares names and labels without case, invisible characters and repeated blanks', async () => {
    const cases: readonly [string, string, object, string][] = [
      ['POST', 'pipelines', { name: 'SALES\u200b', stages: [{ label: 'A' }] }, organization.pipeline.id],
      ['PATCH', `pipelines/${organization.otherPipeline.id}`, { name: ' sa\u00adles' }, organization.pipeline.id],
      ['POST', `pipelines/${organization.pipeline.id}/stages`, { label: 'nEW' }, stage('New')],
      ['PATCH', `stages/${stage('Won')}`, { label: 'new\ufe0f' }, stage('New')],
    ];
    for (const [method, path, body, existing] of cases) {
      expect((await send(method, path, body, 409)).body).toMatchObject({ conflict: { existing_id: existing } });
    }
    const stages = [{ label: 'Due  now' }, { label: 'DUE NOW' }];
    const twice = await send('POST', 'pipelines', { name: 'Twice', stages }, 400);
    expect(twice.errors).toEqual({ 'stages[1].label': 'is given twice' });
    // A name may change its own case.
    await send('PATCH', `stages/${stage('New')}`, { label: 'NEW' });
  });

  test('refuses another currency of a field with values, unless the numbers shall become amounts in it', async () => {
    const fee = { object: 'account', current_name: 'Fee', slug: 'fee', attribute_type: 'currency', currency: 'EUR' };
    const fieldId = await newField(fee);
    const change = (body: object, status: number) => send('PATCH', `fields/${fieldId}`, body, status);
    await change({ currency: 'USD' }, 200);
    await send('POST', 'accounts', { domain: 'fee.example', custom__fee: 1000.25 });
    expect((await change({ currency: 'JPY' }, 409)).body).toMatchObject({ counts: { accounts: 1 } });
    await change({ currency: 'USD', current_name: 'Our fee' }, 200);
    const changed = await change({ currency: 'JPY', reinterpret_values: true }, 200);
    expect(changed.data).toMatchObject({ field: { metadata: { currency: 'JPY' } } });
  });
});
