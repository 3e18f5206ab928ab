import type { OrganizationSetup } from '@crm/db';
import type { CustomFieldDefinition, ObjectType } from '@crm/domain';
import { testSize } from '@crm/testing';
import fc from 'fast-check';
import { instantsMs, isPlausible, members, sentNames, sentValues } from './pools.js';

const counts = {
  account: testSize({ short: 24, soak: 60 }),
  contact: testSize({ short: 24, soak: 60 }),
  opportunity: testSize({ short: 40, soak: 100 }),
};
/** The accounts to which contacts and deals belong. */
const domainCount = testSize({ short: 10, soak: 24 });

const domains = ['gmail.com', 'acme.example', 'xn--mnchen-3ya.de', 'a-b.example', 'acme.example.org', 'x.y.z.example'];
const domainOf = (index: number): string => domains[index] ?? `d${index}.example`;
const localParts = ['ann', 'a_b', 'a%b', 'a.b', "o'neil", 'x+1'];
const emailOf = (index: number): string => `${localParts[index] ?? `c${index}`}@${domainOf(index % domainCount)}`;
const relatedDomains = Array.from({ length: domainCount }, (_, index) => domainOf(index));
const relatedEmails = relatedDomains.map((_, index) => emailOf(index));

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 3, nil: undefined });
const name = maybe(fc.constantFrom(...sentNames));
const date = maybe(fc.constantFrom(...instantsMs.filter(isPlausible)));

const customFields = (definitions: readonly CustomFieldDefinition[]) =>
  fc.record(
    Object.fromEntries(
      definitions.map(({ slug, attributeType }) => [slug, maybe(fc.constantFrom(...sentValues[attributeType]))]),
    ),
  );

/** Every third record has an external id. */
const externalId = (index: number) => (index % 3 === 1 ? { external_id: ` Row-${index}\u200b` } : {});

/** Random bodies of creates for each object. The same seed gives the same ones. */
export const drawBodies = (setup: OrganizationSetup, seed: number): Readonly<Record<ObjectType, readonly object[]>> => {
  const custom = (objectType: ObjectType) => customFields(setup.fieldIndex(objectType, null).definitions);
  const draw = <T extends object>(objectType: ObjectType, arbitrary: fc.Arbitrary<T>): readonly T[] =>
    fc.sample(arbitrary, { seed, numRuns: counts[objectType] });
  const account = fc.record({
    name,
    industry: name,
    description: name,
    employee_range: name,
    custom_fields: custom('account'),
    website: maybe(fc.constantFrom('b.example', ' B.example/Path\u200b', 'https://b.example/path', 'münchen.de')),
  });
  const contact = fc.record({
    first_name: name,
    last_name: name,
    job_title: name,
    custom_fields: custom('contact'),
    phone: maybe(
      fc.constantFrom('+4930123456', '+49 (0)30 123457', ' 030 124\u200b', '030 123', 'ext. 5', 'EXT. 5', '1%'),
    ),
  });
  const deal = fc.constantFrom(...setup.pipelines).chain(({ id, stages }) =>
    fc.record({
      pipeline_id: fc.constant(id),
      opportunity: fc.record({
        name: fc.constantFrom(...sentNames),
        next_step: name,
        close_date: date,
        next_action_date: date,
        deal_size: maybe(fc.constantFrom(0, 0.1, 12.5, 100, 99_999_999_999.9999, 999_999_999_999_999)),
        currency: maybe(fc.constantFrom('EUR', 'USD', 'CHF')),
        stage_id: maybe(fc.constantFrom(...stages.map((stage) => stage.id))),
        custom_fields: custom('opportunity'),
      }),
      related_objects: fc.record({
        account_domain: maybe(fc.constantFrom(...relatedDomains)),
        primary_contact_email: maybe(fc.constantFrom(...relatedEmails)),
        owner_email: maybe(fc.constantFrom(...members, 'owner@team.example')),
      }),
    }),
  );
  const named = new Set<string>();
  /** Two deals with one natural key and different external ids are refused, so only one deal of each name has an external id. */
  const dealsExternalId = (n: number, dealName: string) => {
    const drawn = externalId(n);
    if (!('external_id' in drawn) || named.has(dealName)) return {};
    named.add(dealName);
    return drawn;
  };
  return {
    account: draw('account', account).map((body, n) => ({ ...body, domain: domainOf(n), ...externalId(n) })),
    contact: draw('contact', contact).map((body, n) => ({ ...body, email: emailOf(n), ...externalId(n) })),
    opportunity: draw('opportunity', deal).map(({ opportunity, ...body }, n) => ({
      ...body,
      opportunity: { ...opportunity, ...dealsExternalId(n, opportunity.name) },
    })),
  };
};
