import type { AttributeType } from '../src/custom-field/attribute-types.js';
import type { CustomFieldDefinition } from '../src/custom-field/definition.js';

/** A visible definition for all pipelines, named after its type by default. */
export const definitionOf = (
  attributeType: AttributeType,
  overrides: Partial<CustomFieldDefinition> = {},
): CustomFieldDefinition => ({
  id: '01920000-0000-7000-8000-000000000001',
  objectType: 'opportunity',
  slug: attributeType,
  name: `The ${attributeType}`,
  attributeType,
  metadata: null,
  position: 0,
  isHidden: false,
  pipelineIds: null,
  slot: null,
  ...overrides,
});

/** Options not in alphabetical order. Two labels are equal, and one option is archived. */
export const stageOptions = [
  { label: 'Warm', value: 'warm', color: 'yellow' },
  { label: 'Cold', value: 'cold', color: 'blue' },
  { label: 'Hot', value: 'hot', color: 'red' },
  { label: 'Other', value: 'other_1', color: 'gray' },
  { label: 'Other', value: 'other_2', color: 'gray' },
  { label: 'Lost', value: 'lost', color: 'gray', archived: true },
  // A label that equals the value of another option.
  { label: 'cold', value: 'chilly', color: 'teal' },
] as const;
