import { attributeTypes, maxCustomValues } from '@crm/domain';
import { Type, type Static } from 'typebox';
import { exampleOf, flag, integer, listOf, mapOf, nullable, oneOf, text } from './build.js';

const option = {
  label: text('Display text.', 'Enterprise'),
  value: text('Stored value.', 'enterprise'),
  color: text('Display colour.', '#2563eb'),
};

/** One option of a select, radio or multi_select field. */
export const FieldOption = Type.Object(option, {
  title: 'CustomFieldOption',
  description: 'One option of a select type.',
});

/** An option in the lists of fields. */
const ListedOption = Type.Object(
  {
    ...option,
    is_active: Type.Optional(flag('False if archived: it can be read but not written. Only with `include_archived`.')),
  },
  { title: 'ListedOption', description: 'One option of a select type.' },
);

const metadataOf = <T extends typeof FieldOption | typeof ListedOption>(one: T) =>
  Type.Object(
    {
      options: Type.Optional(listOf(one, 'Select types: the options, in order.')),
      currency: Type.Optional(text('Currency fields: ISO 4217 code.', 'EUR')),
      max: Type.Optional(integer('Rating fields: the highest value.', 5)),
    },
    { description: 'Settings of the type; null if it has none.', examples: [{ options: [exampleOf(one)] }] },
  );

/** `metadata` of a definition. */
export const FieldMetadata = metadataOf(FieldOption);
/** `metadata` of a field in the lists of fields. */
export const ListedMetadata = metadataOf(ListedOption);

/** The definition of a custom field in lists, searches and gets. */
export const CustomFieldDefinition = Type.Object(
  {
    current_name: text('Display name; may change.', 'Deal tier'),
    property_name: text(
      'Stable name: `custom__` followed by the slug. Usable in `fields`, filters, sorts and writes.',
      'custom__deal_tier',
      { pattern: '^custom__' },
    ),
    attribute_type: oneOf(attributeTypes, 'The type of its values.', 'select'),
    metadata: Type.Optional(nullable(FieldMetadata)),
  },
  { title: 'CustomFieldDefinition', additionalProperties: false, description: 'The definition of a custom field.' },
);
export type CustomFieldDefinition = Static<typeof CustomFieldDefinition>;

/** `custom_field_definitions` of lists, searches and gets. */
export const CustomFieldDefinitions = mapOf(CustomFieldDefinition, {
  description: 'Definitions of the custom fields in this response, by slug: the keys of each record’s `custom_fields`.',
  examples: [{ deal_tier: exampleOf(CustomFieldDefinition) }],
});

/** `custom_fields` of a record in a response. */
export const CustomFields = mapOf(Type.Unknown(), {
  description:
    'Custom field values by slug, in their stored form: for example, an option as its `value`, a datetime in UTC.',
  examples: [{ deal_tier: 'enterprise' }],
});

/** `custom_fields` of a record in a request. The handlers check the values against the definitions. */
export const CustomFieldInput = mapOf(Type.Unknown(), {
  maxProperties: maxCustomValues,
  // No example: it would be refused wherever the field that it names does not exist.
  description:
    'Custom field values by slug, such as `{"deal_tier": "enterprise"}` if the object has a field `deal_tier`. ' +
    'Values are never coerced; `null` clears on updates.',
});

/** The alternative way to send custom values: next to the other fields, under their `property_name`. */
export interface CustomKeys {
  [key: `custom__${string}`]: unknown;
}
