import type { Answer } from '@crm/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { untilAWriteWaitsFor } from './support/until-a-write-waits.js';
import { useGateway } from './support/use-gateway.js';
import { useOrganization } from './support/use-organization.js';

const gateway = useGateway();
const { organization, expectStatus: send, send: sendAny } = useOrganization(gateway);
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

describe('two changes of one field that read the same setup', () => {
  const options = [
    { label: 'Iron', value: 'iron' },
    { label: 'Gold', value: 'gold' },
  ];
  const fieldOf = (more: object) => ({ object: 'account', current_name: 'Fee', slug: 'fee', ...more });
  const euros = { attribute_type: 'currency', currency: 'EUR' };
  const select = { attribute_type: 'select', options };
  interface Changes {
    readonly field: object;
    readonly method: string;
    readonly path: '' | '/options';
    /** The bodies of both changes. */
    readonly bodies: readonly [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>];
  }
  const cases: readonly (readonly [string, Changes])[] = [
    ['the currency', { field: euros, method: 'PATCH', path: '', bodies: [{ currency: 'USD' }, { currency: 'JPY' }] }],
    [
      'the highest rating',
      { field: { attribute_type: 'rating', max: 5 }, method: 'PATCH', path: '', bodies: [{ max: 7 }, { max: 9 }] },
    ],
    ['new options', { field: select, method: 'POST', path: '/options', bodies: [{ label: 'Zinc' }, { label: 'Tin' }] }],
    [
      'changed options',
      {
        ...{ field: select, method: 'PATCH', path: '/options' },
        bodies: [
          { value: 'iron', label: 'Ferrum' },
          { value: 'gold', label: 'Aurum' },
        ],
      },
    ],
  ];

  /** Runs changes that all read the setup before the first of them may write. */
  const together = async (changes: readonly (() => Promise<Answer>)[]): Promise<readonly number[]> => {
    const holder = await gateway().writeDatabase.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(`SELECT lock_organization($1, 'exclusive')`, [organization.id]);
      const answers = changes.map((change) => change());
      await untilAWriteWaitsFor(holder, gateway().writeDatabase, changes.length);
      await holder.query('COMMIT');
      return (await Promise.all(answers)).map(({ status }) => status);
    } finally {
      holder.release();
    }
  };

  test.each(cases)(
    'lose no update of %s: the later one is 409, and repeated it keeps the first',
    async (_what, one) => {
      const { field, method, path, bodies } = one;
      const id = await newField(fieldOf(field));
      const changes = bodies.map((body) => () => sendAny(method, `fields/${id}${path}`, body));
      const statuses = await together(changes);
      expect(statuses.toSorted()).toEqual([200, 409]);
      const late = statuses.indexOf(409);
      const repeated = await changes[late]?.();
      const text = JSON.stringify((repeated?.data as { readonly field: { readonly metadata: object } }).field.metadata);
      // Options have both changes; a currency or a maximum has the later one.
      const kept = bodies.filter((_body, index) => path !== '' || index === late);
      for (const value of kept.flatMap(Object.values<unknown>)) expect(text).toContain(String(value));
    },
  );

  test('are both made if they are changes of two fields', async () => {
    const [id, otherId] = [await newField(fieldOf(select)), await newField(fieldOf({ ...euros, slug: 'other' }))];
    const statuses = await together([
      () => sendAny('POST', `fields/${id}/options`, { label: 'Zinc' }),
      () => sendAny('PATCH', `fields/${otherId}`, { currency: 'USD' }),
    ]);
    expect(statuses).toEqual([200, 200]);
  });
});
