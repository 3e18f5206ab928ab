import { type FieldDescription, objects } from '@crm/domain';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { useSmallOrganization } from './support/small-organization.js';

const { create, defineFields, eventsAfter, head, merge, remove, restore, rows, run, update } =
  useSmallOrganization('merge-values-test');

describe.each(['account', 'contact'] as const)('a merge fills what the kept one lacks: %s', (objectType) => {
  const sides = ['missing', 'one', 'two'] as const;
  type Value = (typeof sides)[number];
  const pairs = sides.flatMap((kept) => sides.map((other) => [kept, other] as const));
  const { fields } = objects[objectType] as { readonly fields: readonly FieldDescription[] };
  const isNullable = ({ required, write }: FieldDescription) =>
    required !== true && write !== undefined && write.reference === undefined;
  const columns = fields.filter(isNullable).map(({ name }) => name);
  const custom = { motto: ['string', 'Ahead', 'Upwards'], seats: ['number', 3, 4], seen: ['timestamp', 1000, 2000] };
  const slugs = Object.keys(custom) as (keyof typeof custom)[];
  const names = [...columns, ...slugs.map((slug) => `custom__${slug}`)];
  const [key, table, aliases] =
    objectType === 'account'
      ? (['domain', 'accounts', 'additional_domains'] as const)
      : (['email', 'contacts', 'additional_emails'] as const);
  const keyOf = (label: string) => (key === 'domain' ? `${label}.com` : `${label}@gmail.com`);
  const columnValue = (name: string, value: Value) => (value === 'missing' ? null : `${name} ${value}`);
  const customValue = (slug: keyof typeof custom, value: Value) =>
    value === 'missing' ? null : (custom[slug][value === 'one' ? 1 : 2] as string | number);
  /** Creates a record. Values that are missing are cleared, because a create may derive some. */
  const store = async (label: string, values: readonly Value[]): Promise<string> => {
    const system = columns.map((name, index) => [name, columnValue(name, values[index] ?? 'missing')] as const);
    const ownCustom = Object.fromEntries(
      slugs.map((slug, index) => [slug, customValue(slug, values[columns.length + index] ?? 'missing')] as const),
    );
    const id = await create(objectType, { [key]: keyOf(label) });
    await run(update(objectType, { id }, Object.fromEntries(system), ownCustom));
    return id;
  };
  /** The stored row without what says which record it is. */
  const rowOf = async (id: string, label: string) => {
    const [found] = await rows<{ row: Record<string, unknown> }>(
      `SELECT to_jsonb(r) - '{id,version,created_at,updated_at}'::text[] AS row FROM ${table} r WHERE organization_id = $1 AND id = $2`,
      id,
    );
    return JSON.parse(JSON.stringify(found?.row ?? {}).replaceAll(keyOf(label), 'KEY')) as Record<string, unknown>;
  };
  beforeEach(() =>
    defineFields(
      slugs.map((slug) => ({
        objectType,
        slug,
        attributeType: custom[slug][0] as 'string',
        metadata: null,
        isHidden: false,
      })),
    ),
  );

  // In every round, each field has another pair of values than its neighbours.
  test.each(pairs.map((_pair, round) => round))(
    'round %s of every pair of missing, equal and different values',
    async (round) => {
      const chosen = names.map((name, index) => {
        const [kept = 'missing', other = 'missing'] = pairs[(index + round) % pairs.length] ?? [];
        // External ids are unique.
        return [kept, name === 'external_id' && kept === other ? 'missing' : other] as const;
      });
      const kept = await store(
        'kept',
        chosen.map(([value]) => value),
      );
      const other = await store(
        'other',
        chosen.map(([, value]) => value),
      );
      const { position } = await head();
      const filled = names
        .filter((_name, index) => chosen[index]?.[0] === 'missing' && chosen[index][1] !== 'missing')
        .sort();
      expect((await merge(objectType, kept, other)).filled).toEqual(filled);
      const merged = await rowOf(kept, 'kept');
      const [event] = (await eventsAfter(position)).filter(({ type }) => type === `${objectType}.merged`);
      const changed = event?.changed.map((name) => name.replace('custom_fields.', 'custom__'));
      const derived = filled.some((name) => /^(first|last)_name$/.test(name)) ? ['name'] : [];
      expect(changed?.sort()).toEqual([aliases, ...derived, ...filled].sort());
      // The same as a record that always had the values.
      await rows(`UPDATE ${table} SET external_id = NULL WHERE organization_id = $1`);
      const wanted = await store(
        'wanted',
        chosen.map(([value, second]) => (value === 'missing' ? second : value)),
      );
      expect(merged).toEqual(await rowOf(wanted, 'wanted'));
      if (objectType === 'account') {
        await remove('account', wanted);
        await restore('account', wanted);
        expect(await rowOf(wanted, 'wanted')).toEqual(merged);
      }
    },
  );
});

describe('deals that become one', () => {
  const amounts = [
    ...[null, 5, 7].flatMap((amount) => [null, 'EUR', 'USD'].map((currency) => ({ amount, currency }))),
  ] as const;
  /** An amount is filled together with its currency, and only if the kept deal has no other currency. */
  const mergedAmount = (kept: (typeof amounts)[number], other: (typeof amounts)[number]) => {
    const isFilled = kept.amount === null && (kept.currency === null || kept.currency === other.currency);
    return isFilled ? { amount: other.amount, currency: kept.currency ?? other.currency } : kept;
  };

  test('have the values of the kept one, else those of the other one: every pair of missing, equal and different', async () => {
    const [kept, other] = [
      await create('account', { domain: 'kept.com' }),
      await create('account', { domain: 'other.com' }),
    ];
    const [ann, bob] = (await rows('SELECT id FROM members WHERE organization_id = $1 ORDER BY name')).map(
      ({ id }) => id,
    );
    const optional = (n: 0 | 1) => ({
      next_step: `Step ${n}`,
      close_date: n,
      next_action_date: 10 + n,
      owner_id: [ann, bob][n],
    });
    const missing = { next_step: null, close_date: null, next_action_date: null, owner_id: null };
    const cases = [
      ...amounts.flatMap((one) => amounts.map((two) => [one, two, mergedAmount(one, two)] as const)),
      [missing, optional(1), optional(1)] as const,
      [optional(0), missing, optional(0)] as const,
      [optional(0), optional(1), optional(0)] as const,
      [missing, missing, missing] as const,
    ];
    for (const [index, [one, two]] of cases.entries()) {
      const name = String(index).padStart(3, '0');
      for (const [values, domain] of [
        [one, 'kept.com'],
        [two, 'other.com'],
      ] as const)
        await create('opportunity', { ...values, name, account_domain: domain });
    }
    const { merged_opportunities } = await merge('account', kept, other);
    expect(merged_opportunities).toBe(cases.length);
    const merged = await rows(`SELECT amount::float8 AS amount, currency, next_step, close_date::int AS close_date,
      next_action_date::int AS next_action_date, owner_id FROM opportunities WHERE organization_id = $1 ORDER BY name`);
    expect(merged).toHaveLength(cases.length);
    for (const [index, [one, two, expected]] of cases.entries())
      expect([one, two, merged[index]]).toMatchObject([one, two, expected]);
    // A restored deal enters its stage at that time.
    const stored = `SELECT id, to_jsonb(o) - '{version,updated_at,stage_entered_at,closed_at,record}'::text[] AS row
      FROM opportunities o WHERE organization_id = $1 ORDER BY name DESC LIMIT 12`;
    const before = await rows<{ id: string }>(stored);
    for (const { id } of before) {
      await remove('opportunity', id);
      await restore('opportunity', id);
    }
    expect(await rows(stored)).toEqual(before);
  });
});
