import { propertyRuns } from '@crm/testing';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { recordsOf } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2_147_483_647);
const numRuns = propertyRuns({ short: 8, soak: 400 });

const options = ['red', 'green', 'blue'].map((value) => ({ value, label: value.toUpperCase(), color: 'gray' }));

/** A value of each kind that is stored in more than one column, or that has null parts. */
const customValues = {
  text: fc.constantFrom('Ärger', 'x'.repeat(300), 'İstanbul \\ "q"'),
  count: fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((value) => Math.round(value)),
  flag: fc.boolean(),
  day: fc.constantFrom('2024-02-29', '1969-12-31'),
  span: fc.constantFrom({ start: '2024-01-01', end: null }, { start: null, end: '2024-01-01' }),
  colors: fc.subarray(['red', 'green', 'blue'], { minLength: 1 }),
  place: fc.constantFrom('Zürich', { city: 'Bern', country: 'CH', lat: null, lng: null }),
  mail: fc.constantFrom('Ann@Example.com', 'bob@example.com'),
};

const types = {
  ...({ text: 'string', count: 'number', flag: 'checkbox', day: 'date', span: 'date_range' } as const),
  ...({ place: 'location', mail: 'email', colors: 'multi_select' } as const),
};

const gateway = useGateway(async ({ organization }) => {
  for (const objectType of ['account', 'contact', 'opportunity'] as const)
    for (const [slug, attributeType] of Object.entries(types)) {
      const metadata = attributeType === 'multi_select' ? { options } : undefined;
      await organization.defineField({ objectType, slug, attributeType, ...(metadata && { metadata }) });
    }
});
const { account, contact, opportunity, changeAccount, changeContact, changeOpportunity } = recordsOf(gateway);

const text = fc.constantFrom('Straße', 'ÉTÉ', 'İ', 'plain');
type Values = Readonly<Record<string, unknown>>;

/** Some of the values; with `clears`, some are null. */
const someOf = (values: Readonly<Record<string, fc.Arbitrary<unknown>>>, clears: boolean): fc.Arbitrary<Values> =>
  fc.record(
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, clears ? fc.option(value, { freq: 2 }) : value]),
    ),
    { requiredKeys: [] },
  );

const withoutNulls = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

interface Kind {
  readonly table: string;
  readonly fields: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  readonly create: (key: string, body: Values) => Promise<string>;
  readonly change: (id: string, body: Values) => Promise<{ readonly status: number }>;
}

const kinds: readonly Kind[] = [
  {
    table: 'accounts',
    fields: { name: text, industry: text, description: text, website: fc.constant('x.com'), employee_range: text },
    create: (key, body) => account({ domain: `${key}.com`, ...body }),
    change: (id, body) => changeAccount(id, body),
  },
  {
    table: 'contacts',
    fields: { first_name: text, last_name: text, job_title: text, phone: fc.constant('+41 44 668 18 00') },
    create: (key, body) => contact({ email: `${key}@kinds.com`, ...body }),
    change: (id, body) => changeContact(id, body),
  },
  {
    table: 'opportunities',
    fields: {
      deal_size: fc.constantFrom(0, 12.25),
      currency: fc.constantFrom('EUR', 'USD'),
      next_step: text,
      close_date: fc.constant(1798675200000),
    },
    create: (key, body) => opportunity(body, { account_domain: `${key}.com` }),
    change: (id, body) => changeOpportunity(id, { opportunity: body }),
  },
];

/** A row without the columns that identify the record or say when it was made. */
const comparable = async (table: string, id: string) => {
  const [row] = await gateway().rows<{ row: Record<string, unknown> }>(
    `SELECT to_jsonb(r) - '{id,domain,email,account_id,account_key,account_domain,account_name_key,record,search_text,created_at,updated_at,version}'::text[] AS row
       FROM ${table} r WHERE organization_id = $1 AND id = $2`,
    [id],
  );
  return row?.row;
};

test.each(kinds)('a changed record of $table is stored exactly like one created with the same values', async (kind) => {
  let count = 0;
  const before = fc.tuple(someOf(kind.fields, false), someOf(customValues, false));
  const after = fc.tuple(someOf(kind.fields, true), someOf(customValues, true));
  const property = fc.asyncProperty(before, after, async ([fields, custom], [newFields, newCustom]) => {
    count += 1;
    // An account gets its name from its domain and keeps it when the name is cleared, so both accounts get the same name.
    const named = kind.table === 'accounts' ? { name: 'Given' } : { name: 'Deal' };
    const base = kind.table === 'contacts' ? {} : named;
    const changed = await kind.create(`changed${count}`, { ...base, ...fields, custom_fields: custom });
    const sent = { ...newFields, custom_fields: newCustom };
    expect((await kind.change(changed, sent)).status).toBe(200);
    const isNameless = newFields['name'] === null;
    const values = { ...base, ...withoutNulls({ ...fields, ...newFields }) };
    const created = await kind.create(`created${count}`, {
      ...values,
      custom_fields: withoutNulls({ ...custom, ...newCustom }),
    });
    if (isNameless) expect((await kind.change(created, { name: null })).status).toBe(200);
    expect(await comparable(kind.table, changed)).toEqual(await comparable(kind.table, created));
  });
  process.stdout.write(`${kind.table}: FC_SEED=${seed}\n`);
  await fc.assert(property, { numRuns, seed });
});
