import { randomUUID } from 'node:crypto';
import { addMemberChange, type AdministrationDatabase, createPipelineChanges, defineFieldChange } from '@crm/db';
import { type AttributeType, type ObjectType, setupLimits } from '@crm/domain';
import type { TestOrganization } from '@crm/testing';
import { setupTools } from '@crm/testing/suites';

/** Left free for the requests that create fields, pipelines and members. */
const room = 20;

const types: readonly AttributeType[] = [
  ...(['email', 'website', 'url', 'string', 'number', 'phone', 'date', 'datetime'] as const),
  ...(['checkbox', 'location', 'team_members', 'date_range'] as const),
];

/** Slugs differ only in the middle, so that the search for a similar one compares all characters of all of them. */
export const largeSlug = (index: number): string =>
  `${'x'.repeat(50)}${String(index)
    .replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')
    .padStart(4, 'k')}${'y'.repeat(9)}`;

/** The slug of the select field with the most options. */
export const selectSlug = 'most_options';

/** The number of custom fields in the largest setup. */
export const largeFields = setupLimits.fields - room;

/** The type of the field with {@link largeSlug}. */
export const largeType = (index: number): AttributeType => types[index % types.length] ?? 'string';

/** The names of options and members are long: the setup has about the most bytes. */
const options = Array.from({ length: 490 }, (_, index) => ({
  label: `${index} ${'ä'.repeat(200)}`,
  value: `option_${index}`,
  color: 'gray',
}));

/** Gives an organization the largest setup, with almost all of its fields on one object. */
export const createLargestSetup = async (
  database: AdministrationDatabase,
  { id: organizationId }: TestOrganization,
  objectType: ObjectType,
): Promise<void> => {
  const field = { objectType, isHidden: false, pipelineIds: null, metadata: null };
  const fields = Array.from({ length: largeFields - 1 }, (_, index) =>
    defineFieldChange(randomUUID(), {
      ...field,
      slug: largeSlug(index),
      name: `${index} ${'é'.repeat(200)}`,
      attributeType: largeType(index),
    }),
  );
  const select = {
    ...field,
    slug: selectSlug,
    name: 'Options',
    attributeType: 'select',
    metadata: { options },
  } as const;
  const members = Array.from({ length: setupLimits.members - room }, (_, index) =>
    addMemberChange(randomUUID(), { email: `member${index}@team.example`, name: `${index} ${'ü'.repeat(60)}` }),
  );
  const pipelines = Array.from({ length: setupLimits.pipelines - room }, (_, index) =>
    createPipelineChanges(
      randomUUID(),
      { name: `Pipeline ${index}` },
      Array.from({ length: 20 }, (_stage, stage) => ({ label: `Stage ${stage}` })),
    ),
  );
  const changes = [...fields, defineFieldChange(randomUUID(), select), ...members, ...pipelines.flat()];
  await setupTools(database).changeSetup(organizationId, changes);
};
