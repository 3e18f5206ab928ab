import { type AttributeType, attributeTypes, type ObjectType, slotKind } from '@crm/domain';
import type { TestField, TestOrganization } from '@crm/testing';
import { archivedOption, options, scalarTypes } from './pools.js';

const slotsOfAKind = 8;

const metadataOf = (type: AttributeType): NonNullable<TestField['metadata']> | undefined => {
  if (type === 'select' || type === 'radio' || type === 'multi_select')
    return { options: [...options, archivedOption] };
  return type === 'rating' ? { max: 5 } : undefined;
};

/** The types of one kind that get the object's eight indexed columns. Every object starts with another type. */
const slottedTypes = (kind: 'text' | 'number', objectIndex: number): readonly AttributeType[] => {
  const types = scalarTypes.filter((type) => slotKind(type) === kind);
  return Array.from(
    { length: slotsOfAKind },
    (_, index) => types[(index + objectIndex * 2) % types.length] ?? 'string',
  );
};

/**
 * Defines custom fields so that, over the three objects, each type that compares as one value has a field with an indexed
 * column and one without. Columns are assigned in order of definition, so the fields that need one come first.
 */
export const defineFields = async (organization: TestOrganization): Promise<void> => {
  const objects: readonly ObjectType[] = ['opportunity', 'account', 'contact'];
  for (const [objectIndex, objectType] of objects.entries()) {
    const slotted = [...slottedTypes('text', objectIndex), ...slottedTypes('number', objectIndex)];
    for (const [index, attributeType] of [...slotted, ...attributeTypes].entries()) {
      const metadata = metadataOf(attributeType);
      const slug = `${attributeType}_${index}`;
      await organization.defineField({ objectType, slug, attributeType, ...(metadata && { metadata }) });
    }
  }
};
