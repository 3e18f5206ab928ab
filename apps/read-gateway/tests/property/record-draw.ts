import type { OrganizationSetup } from '@crm/db';
import {
  type CustomValue,
  ErrorCollector,
  type ObjectType,
  parseCustomValues,
  type CustomFieldDefinition,
} from '@crm/domain';
import fc from 'fast-check';
import { instantsMs, members, names, sentValues } from './pools.js';

/** Random choices for a record of any object; each object uses the ones that it has. */
export interface RecordDraw {
  readonly definitions: ReadonlyMap<string, CustomFieldDefinition>;
  readonly values: ReadonlyMap<string, CustomValue | null>;
  /** Fills the object's texts in their order. */
  readonly texts: readonly (string | null)[];
  readonly name: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly version: number;
  /** Choose stages, owners, accounts and contacts; null chooses none. */
  readonly picks: readonly (number | null)[];
  readonly amount: number | null;
  readonly dates: readonly (number | null)[];
}

const sharedInstant = Date.UTC(2026, 0, 15, 12);

/** Few instants, so that many records share them. */
const instant = fc.constantFrom(...[0, 0, 0, 1, 1_000, 86_400_000, -1].map((offset) => sharedInstant + offset));

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { freq: 3, nil: null });

const sentFields = (definitions: readonly CustomFieldDefinition[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    Object.fromEntries(
      definitions.map(({ slug, attributeType }) => [slug, maybe(fc.constantFrom(...sentValues[attributeType]))]),
    ),
  );

/** Random records with values as the inbound gateway parses them. */
export const drawRecord = (setup: OrganizationSetup, objectType: ObjectType): fc.Arbitrary<RecordDraw> => {
  const { definitions: inOrder, bySlug } = setup.fieldIndex(objectType, null);
  const references = { findMemberId: (idOrEmail: string) => setup.findMember(idOrEmail)?.id };
  const read = (sent: Record<string, unknown>) => {
    const errors = new ErrorCollector();
    const input = { custom_fields: sent };
    const values = parseCustomValues({ definitions: bySlug, input, references, path: '', errors, pipelineId: null });
    errors.throwIfAny();
    return values;
  };
  return fc.record({
    definitions: fc.constant(bySlug),
    values: sentFields(inOrder).map(read),
    texts: fc.array(maybe(fc.constantFrom(...names)), { minLength: 6, maxLength: 6 }),
    name: fc.constantFrom(...names),
    createdAtMs: instant,
    updatedAtMs: instant,
    version: fc.integer({ min: 1, max: 4 }),
    picks: fc.array(maybe(fc.nat({ max: 1_000 })), { minLength: 6, maxLength: 6 }),
    amount: maybe(fc.constantFrom(0, 0.1, 12.5, 100, 99_999_999_999.9999, 999_999_999_999_999)),
    dates: fc.array(maybe(fc.constantFrom(...instantsMs)), { minLength: 2, maxLength: 2 }),
  });
};

/** The emails that `picks` refers to. The last one is of a member whom the organization had from the start. */
export const ownerEmails = [...members, 'owner@team.example'];
