import type { Failure } from '@crm/domain';
import { describe, expect, test } from '@jest/globals';
import { recordMerge } from '../src/write/merges.js';
import { opportunityUpdate } from '../src/write/opportunities.js';
import type { Write } from '../src/write/write.js';
import { useSmallOrganization } from './support/small-organization.js';

const organization = useSmallOrganization('exact-limits-test');
const { create, creation, note, run } = organization;

describe('a merge', () => {
  const limited = (write: Write<unknown>, limits: object): Write<unknown> => {
    const input = write.input as { readonly limits: object };
    return {
      ...write,
      input: {
        ...input,
        ...limits,
        limits: { ...input.limits, ...('limits' in limits ? (limits.limits as object) : {}) },
      },
    };
  };
  const refusal = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: unknown) => (error as Failure).reason,
    );

  /** Two records to merge, of which the second one has two deals, notes and, as an account, contacts. Each deal has a twin. */
  const prepare = async (objectType: 'account' | 'contact') => {
    const [id, from] =
      objectType === 'account'
        ? [await create('account', { domain: 'kept.com' }), await create('account', { domain: 'other.com' })]
        : [await create('contact', { email: 'kept@gmail.com' }), await create('contact', { email: 'other@gmail.com' })];
    for (const name of ['One', 'Two'])
      for (const one of ['kept', 'other'])
        await create('opportunity', {
          name,
          ...(objectType === 'account' ? { account_domain: `${one}.com` } : { contact_email: `${one}@gmail.com` }),
          additional_contacts: [1, 2].map((n) => `${n}@${one}.net`),
        });
    if (objectType === 'account') for (const n of [1, 2]) await create('contact', { email: `${n}@other.com` });
    for (const title of ['One', 'Two'])
      await note({
        title,
        ...(objectType === 'account' ? { accountDomains: ['other.com'] } : { contactEmails: ['other@gmail.com'] }),
      });
    return { id, from };
  };

  test.each([
    ['account', { opportunities: 2, merged_opportunities: 2, contacts: 2, notes: 2 }],
    ['contact', { opportunities: 2, merged_opportunities: 2, notes: 2 }],
  ] as const)('of two %ss may change as much as each limit says, and no more', async (objectType, sizes) => {
    const target = { ...(await prepare(objectType)), mergesOpportunities: true };
    const write = (isDryRun: boolean) => recordMerge(objectType, { ...target, isDryRun });
    const additional = { additional_contacts: 4 };
    for (const isDryRun of [true, false])
      for (const [object, size] of [...Object.entries(sizes), ...Object.entries(additional)]) {
        const limits =
          object === 'additional_contacts' ? { contact_limit: size - 1 } : { limits: { [object]: size - 1 } };
        const reason = await refusal(run(limited(write(isDryRun), limits)));
        expect([object, isDryRun, reason]).toMatchObject([
          object,
          isDryRun,
          { kind: 'merge_too_large', object, limit: size - 1 },
        ]);
      }
    const exact = { limits: sizes, contact_limit: 4 };
    for (const isDryRun of [true, false])
      expect(await run(limited(write(isDryRun), exact))).toMatchObject({ merged_opportunities: 2, notes: 2 });
  });

  test('may write as many bytes of notes as its limit says, and no more', async () => {
    const [id, from] = [
      await create('account', { domain: 'kept.com' }),
      await create('account', { domain: 'other.com' }),
    ];
    await note({ title: 'é', content: 'four', accountDomains: ['other.com'] });
    const write = recordMerge('account', { id, from, isDryRun: false, mergesOpportunities: false });
    expect(await refusal(run(limited(write, { limits: { bytes: 5 } })))).toMatchObject({
      kind: 'merge_too_large',
      object: 'bytes',
    });
    expect(await run(limited(write, { limits: { bytes: 6 } }))).toMatchObject({ notes: 1 });
  });

  test('leaves out of its limits what it does not change', async () => {
    const [id, from] = [
      await create('account', { domain: 'kept.com' }),
      await create('account', { domain: 'other.com' }),
    ];
    for (const name of ['One', 'Two']) await create('opportunity', { name, account_domain: 'kept.com' });
    await note({ title: 'Kept', accountDomains: ['kept.com'] });
    const limits = { opportunities: 0, merged_opportunities: 0, contacts: 0, notes: 0, bytes: 0 };
    const write = recordMerge('account', { id, from, isDryRun: false, mergesOpportunities: false });
    expect(await run(limited(write, { limits }))).toMatchObject({ opportunities: 0, notes: 0 });
  });

  test.each(['update', 'matching create'])(
    '%s: a deal may have as many additional contacts as the limit says',
    async (kind) => {
      const id = await create('opportunity', { name: 'Crowded' });
      const withContacts = (count: number, limit: number) => {
        const values = { additional_contacts: Array.from({ length: count }, (_, n) => `${n}@crowd.com`) };
        const write =
          kind === 'update'
            ? opportunityUpdate(organization.setup(), { id }, organization.changeOf('opportunity', values))
            : creation('opportunity', { name: 'Crowded', ...values });
        const input = write.input as { readonly change: object };
        return { ...write, input: { ...input, change: { ...input.change, contact_limit: limit } } };
      };
      expect(await run(withContacts(2, 2))).toMatchObject({ record_status: 'updated' });
      expect(await refusal(run(withContacts(3, 2)))).toMatchObject({ kind: 'too_many_contacts', limit: 2 });
    },
  );
});
