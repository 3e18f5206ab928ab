import { describe, expect, test } from '@jest/globals';
import { findMergedInto } from '../src/write/merges.js';
import { newKey, useSmallOrganization } from './support/small-organization.js';

const organization = useSmallOrganization('merge-chains-test');
const { create, merge, note, remove, restore, rows, run, update } = organization;

const mergedInto = (objectType: 'account' | 'contact' | 'opportunity', id: string) =>
  findMergedInto(organization.database, organization.organizationId(), objectType, id);
const countOf = async (condition: string, ...values: readonly unknown[]): Promise<number> =>
  Number(
    (await rows(`SELECT count(*)::int AS n FROM ${condition.replace('ORG', 'organization_id = $1')}`, ...values))[0]?.[
      'n'
    ],
  );

/** How each kind of record is named by its key, and by a deal. A free-mail address gives a deal no account. */
const kinds = [
  ['account', (n: number) => ({ domain: `chain${n}.com` }), (n: number) => ({ account_domain: `chain${n}.com` })],
  [
    'contact',
    (n: number) => ({ email: `chain${n}@gmail.com` }),
    (n: number) => ({ contact_email: `chain${n}@gmail.com` }),
  ],
] as const;

describe.each(kinds)('three records merged one after the other: %s', (objectType, keyOf, relatedOf) => {
  const numbers = [0, 1, 2] as const;
  /** Creates the records under keys and merges each into the next one. @returns their ids */
  const chain = async () => {
    const keys = numbers.map(newKey);
    const ids = [];
    for (const n of numbers) ids.push(await create(objectType, keyOf(n), {}, keys[n]));
    const [first = '', second = '', last = ''] = ids;
    return { keys, first, second, last };
  };

  test('all earlier ones name the last one, and their domains or emails find it', async () => {
    const { first, second, last } = await chain();
    await merge(objectType, second, first);
    expect(await mergedInto(objectType, first)).toBe(second);
    await merge(objectType, last, second);
    expect([await mergedInto(objectType, first), await mergedInto(objectType, second)]).toEqual([last, last]);
    for (const n of numbers) expect(await create(objectType, keyOf(n))).toBe(last);
    expect(await countOf(`merged_records WHERE ORG AND merged_into <> $2`, last)).toBe(0);
  });

  test('no stored result of a merged one stays, and another kind of record keeps its own', async () => {
    const { first, second, last, keys } = await chain();
    const noteKey = newKey();
    const stored = await note({ title: 'Stays', contactEmails: ['other@people.com'] }, noteKey);
    await merge(objectType, second, first);
    await merge(objectType, last, second);
    expect(await countOf('idempotency_keys WHERE ORG AND record_ids && $2::uuid[]', [first, second])).toBe(0);
    for (const n of [0, 1] as const) expect(await create(objectType, keyOf(n), {}, keys[n])).toBe(last);
    expect(await note({ title: 'Stays', contactEmails: ['other@people.com'] }, noteKey)).toBe(stored);
  });

  test('their deals that become one form a chain too', async () => {
    const ids = [];
    const deals = [];
    for (const n of numbers) {
      ids.push(await create(objectType, keyOf(n)));
      deals.push(await create('opportunity', { name: 'Same', ...relatedOf(n) }));
    }
    const [first = '', second = '', last = ''] = ids;
    const [firstDeal = '', secondDeal = '', lastDeal = ''] = deals;
    expect(new Set(deals).size).toBe(3);
    const key = newKey();
    await run(update('opportunity', { id: firstDeal }, { next_step: 'Call' }), key);
    await merge(objectType, second, first);
    await merge(objectType, last, second);
    expect([await mergedInto('opportunity', firstDeal), await mergedInto('opportunity', secondDeal)]).toEqual([
      lastDeal,
      lastDeal,
    ]);
    expect(await countOf('idempotency_keys WHERE ORG AND $2 = ANY (record_ids)', firstDeal)).toBe(0);
    expect(await rows('SELECT next_step FROM opportunities WHERE organization_id = $1')).toEqual([
      { next_step: 'Call' },
    ]);
  });
});

describe('a restored record that is deleted again was merged into none', () => {
  test('an account', async () => {
    const [kept, other] = [
      await create('account', { domain: 'kept.com' }),
      await create('account', { domain: 'other.com' }),
    ];
    await merge('account', kept, other);
    // The kept account takes the domain back and gives it up, so that the other one can be restored.
    for (const domain of ['other.com', 'kept.com']) await run(update('account', { id: kept }, { domain }));
    await restore('account', other);
    expect(await mergedInto('account', other)).toBeNull();
    await remove('account', other);
    expect(await mergedInto('account', other)).toBeNull();
  });

  test('a deal', async () => {
    const ids = [];
    const deals = [];
    for (const domain of ['kept.com', 'other.com']) {
      ids.push(await create('account', { domain }));
      deals.push(await create('opportunity', { name: 'Same', account_domain: domain }));
    }
    const [kept = '', other = ''] = ids;
    const [keptDeal = '', otherDeal = ''] = deals;
    await merge('account', kept, other);
    expect(await mergedInto('opportunity', otherDeal)).toBe(keptDeal);
    await run(update('opportunity', { id: keptDeal }, { name: 'Renamed' }));
    await restore('opportunity', otherDeal);
    expect(await mergedInto('opportunity', otherDeal)).toBeNull();
    await remove('opportunity', otherDeal);
    expect(await mergedInto('opportunity', otherDeal)).toBeNull();
  });
});

describe('restoring a deal names each link that it leaves out', () => {
  const related = {
    account_domain: 'gone.com',
    contact_email: 'ann@gone.com',
    additional_contacts: ['b@gone.com', 'c@gone.com'],
  };
  const idOf = async (table: string, condition: string): Promise<string> =>
    String((await rows(`SELECT id FROM ${table} WHERE organization_id = $1 AND ${condition}`))[0]?.['id']);
  /** Takes away what a deal is linked to. */
  const losses: Readonly<Record<string, () => Promise<unknown>>> = {
    account_id: async () => {
      const account = await idOf('accounts', `domain = 'gone.com'`);
      await rows('UPDATE contacts SET account_id = NULL WHERE organization_id = $1');
      await remove('account', account);
    },
    contact_id: async () => remove('contact', await idOf('contacts', `email = 'ann@gone.com'`)),
    additional_contact_ids: async () => remove('contact', await idOf('contacts', `email = 'b@gone.com'`)),
    stage_id: () => rows(`UPDATE stages SET is_active = false WHERE organization_id = $1 AND label = 'Won'`),
    owner_id: () => rows(`DELETE FROM members WHERE organization_id = $1 AND name = 'bob'`),
  };
  const columns = `SELECT o.account_id, o.contact_id, o.stage_id, o.owner_id, ARRAY(SELECT l.contact_id FROM opportunity_contacts l
    WHERE l.organization_id = $1 AND l.opportunity_id = o.id ORDER BY l.position) AS additional_contact_ids
    FROM opportunities o WHERE o.organization_id = $1`;

  test.each([...Object.keys(losses), 'none'])('%s', async (lost) => {
    const owner = await idOf('members', `name = 'bob'`);
    const stage = await idOf('stages', `label = 'Won' AND pipeline_id = '${organization.pipeline().id}'`);
    const id = await create('opportunity', { name: 'Links', ...related, stage_id: stage, owner_id: owner });
    const [before] = await rows(columns);
    await remove('opportunity', id);
    await losses[lost]?.();
    const { dropped } = await restore('opportunity', id);
    expect(dropped).toEqual(lost === 'none' ? [] : [lost]);
    const [after] = await rows(columns);
    for (const name of Object.keys(losses)) {
      if (name === lost) expect(after?.[name]).not.toEqual(before?.[name]);
      else expect([name, after?.[name]]).toEqual([name, before?.[name]]);
    }
  });
});
