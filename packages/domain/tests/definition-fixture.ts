import type { AttributeType, CustomFieldDefinition } from '../src/custom-field/definition.js';

/** A visible definition of all pipelines, named after its type unless something else is asked for. */
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

/** Options in an order that is not that of their texts; two labels alike, one option archived. */
export const stageOptions = [
  { label: 'Warm', value: 'warm', color: 'yellow' },
  { label: 'Cold', value: 'cold', color: 'blue' },
  { label: 'Hot', value: 'hot', color: 'red' },
  { label: 'Other', value: 'other_1', color: 'gray' },
  { label: 'Other', value: 'other_2', color: 'gray' },
  { label: 'Lost', value: 'lost', color: 'gray', archived: true },
  // A label that is another option's value.
  { label: 'cold', value: 'chilly', color: 'teal' },
] as const;
