import fc from 'fast-check';
import type { Fields, Parts, Related } from './state.js';
import type { OnMatch } from './rules.js';

interface Creation {
  readonly fields: Fields;
  readonly onMatch: OnMatch;
}

/** One call of one client, by natural keys. */
export type Call =
  | ({ readonly kind: 'createAccount'; readonly domain: string } & Creation)
  | ({ readonly kind: 'createContact'; readonly email: string } & Creation)
  | ({
      readonly kind: 'createDeal';
      readonly name: string;
      readonly related: Related;
      readonly parts: Parts;
    } & Creation)
  | { readonly kind: 'updateAccount'; readonly domain: string; readonly fields: Fields }
  | { readonly kind: 'updateContact'; readonly email: string; readonly fields: Fields }
  | { readonly kind: 'updateDeal'; readonly index: number; readonly fields: Fields; readonly related: Related }
  | { readonly kind: 'deleteAccount'; readonly domain: string }
  | { readonly kind: 'deleteContact'; readonly email: string }
  | { readonly kind: 'deleteDeal'; readonly index: number }
  | { readonly kind: 'mergeAccounts'; readonly domain: string; readonly from: string; readonly mergesDeals: boolean }
  | { readonly kind: 'mergeContacts'; readonly email: string; readonly from: string; readonly mergesDeals: boolean }
  | { readonly kind: 'restoreAccount'; readonly index: number }
  | { readonly kind: 'restoreDeal'; readonly index: number }
  | { readonly kind: 'activateStage'; readonly index: number }
  | { readonly kind: 'makeDefaultStage'; readonly index: number }
  | { readonly kind: 'setOutcome'; readonly index: number; readonly outcome: string }
  | { readonly kind: 'renameStage'; readonly index: number; readonly label: string }
  | { readonly kind: 'archiveStage'; readonly index: number; readonly to: number | null }
  | { readonly kind: 'activatePipeline'; readonly isActive: boolean }
  | { readonly kind: 'bulkContacts'; readonly calls: readonly (Call & { kind: 'createContact' })[]; onMatch: OnMatch }
  | { readonly kind: 'bulkDeals'; readonly calls: readonly (Call & { kind: 'createDeal' })[]; onMatch: OnMatch };

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const clearable = <T>(arbitrary: fc.Arbitrary<T>) => maybe(fc.option(arbitrary, { nil: null, freq: 4 }));

/** Calls of the client of one lane. Lanes share only a mail provider's account, so each is sequential and predictable. */
export const callsOf = (lane: number): fc.Arbitrary<readonly Call[]> => {
  const domain = fc.constantFrom('a', 'b', 'c').map((name) => `${name}${lane}.com`);
  const email = fc
    .constantFrom('ann', 'bob', 'cid')
    .chain((name) => fc.constantFrom(`${name}@a${lane}.com`, `${name}@b${lane}.com`, `${name}${lane}@gmail.com`));
  const index = fc.nat({ max: 3 });
  const score = clearable(fc.integer({ min: 0, max: 3 }));
  const text = clearable(fc.constantFrom('Österreich', 'x', '"q" \\', 'İ'));
  const onMatch = fc.constantFrom<OnMatch>('keep', 'update');
  const accountFields = fc.record({ name: text, industry: text, score });
  const contactFields = fc.record({ first_name: text, last_name: text, score });
  const dealFields = fc.record({
    amount: clearable(fc.constantFrom(0, 12.5, 99999)),
    next_step: text,
    currency: clearable(fc.constantFrom('EUR', 'USD')),
    stageIndex: maybe(fc.nat({ max: 2 })),
    score,
  });
  const related = fc.record({
    account: clearable(domain),
    primary: clearable(email),
    additional: clearable(fc.array(email, { maxLength: 3 })),
  });
  const name = fc.constantFrom('One', 'Two').map((text) => `${text} ${lane}`);
  const kind = <Kind extends Call['kind']>(value: Kind) => fc.constant(value);
  const newContact = fc.record({ kind: kind('createContact'), email, fields: contactFields, onMatch });
  const parts = fc.record({
    person: maybe(fc.record({ email, fields: fc.record({ first_name: text, last_name: text }) })),
    note: maybe(fc.constantFrom('Called', 'Wrote')),
    byName: fc.boolean(),
  });
  const newDeal = fc.record({ kind: kind('createDeal'), name, fields: dealFields, related, parts, onMatch });
  const [stage, mergesDeals] = [fc.nat({ max: 2 }), fc.boolean()];
  const mergeOrRestore = fc.oneof<fc.Arbitrary<Call>[]>(
    fc.record({ kind: kind('mergeAccounts'), domain, from: domain, mergesDeals }),
    fc.record({ kind: kind('mergeContacts'), email, from: email, mergesDeals }),
    fc.record({ kind: kind('restoreAccount'), index: fc.nat({ max: 1 }) }),
    fc.record({ kind: kind('restoreDeal'), index: fc.nat({ max: 1 }) }),
  );
  const setUp = fc.oneof<fc.Arbitrary<Call>[]>(
    fc.record({ kind: kind('renameStage'), index: stage, label: fc.constantFrom('New', 'Won', 'Lost') }),
    fc.record({ kind: kind('archiveStage'), index: stage, to: fc.option(stage, { nil: null }) }),
    fc.record({ kind: kind('activateStage'), index: stage }),
    fc.record({ kind: kind('makeDefaultStage'), index: stage }),
    fc.record({ kind: kind('setOutcome'), index: stage, outcome: fc.constantFrom('open', 'won', 'lost') }),
    fc.record({ kind: kind('activatePipeline'), isActive: fc.boolean() }),
  );
  const call = fc.oneof<(fc.Arbitrary<Call> | fc.WeightedArbitrary<Call>)[]>(
    { weight: 2, arbitrary: fc.record({ kind: kind('createAccount'), domain, fields: accountFields, onMatch }) },
    { weight: 3, arbitrary: newContact },
    { weight: 5, arbitrary: newDeal },
    fc.record({
      kind: kind('updateAccount'),
      domain,
      fields: fc.tuple(accountFields, maybe(domain)).map(([fields, moved]) => ({ ...fields, domain: moved })),
    }),
    fc.record({
      kind: kind('updateContact'),
      email,
      fields: fc.tuple(contactFields, maybe(email)).map(([fields, moved]) => ({ ...fields, email: moved })),
    }),
    {
      weight: 3,
      arbitrary: fc.record({
        kind: kind('updateDeal'),
        index,
        fields: fc.tuple(dealFields, maybe(name)).map(([fields, renamed]) => ({ ...fields, name: renamed })),
        related,
      }),
    },
    fc.record({ kind: kind('deleteAccount'), domain }),
    fc.record({ kind: kind('deleteContact'), email }),
    fc.record({ kind: kind('deleteDeal'), index }),
    { weight: 7, arbitrary: mergeOrRestore },
    { weight: 5, arbitrary: setUp },
    fc.record({ kind: kind('bulkContacts'), calls: fc.array(newContact, { minLength: 1, maxLength: 4 }), onMatch }),
    fc.record({ kind: kind('bulkDeals'), calls: fc.array(newDeal, { minLength: 1, maxLength: 4 }), onMatch }),
  );
  return fc.array(call, { minLength: 1, maxLength: 14 });
};
