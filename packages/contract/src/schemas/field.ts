import { attributeTypes } from '@crm/domain';
import { Type, type Static } from 'typebox';
import { nullable, oneOf, uuid } from './build.js';
import { ListedMetadata } from './custom-field.js';
import { exampleIds } from './example-ids.js';
import { pageProperties } from './pagination.js';

/** A custom field, for examples. */
export const exampleField = {
  field_id: exampleIds.field,
  name: 'deal_tier',
  current_name: 'Deal tier',
  property_name: 'custom__deal_tier',
  attribute_type: 'select',
  metadata: { options: [{ label: 'Enterprise', value: 'enterprise', color: '#2563eb' }] },
  is_custom: true,
  is_hidden: false,
  is_active: true,
  pipeline_ids: null,
};

/** A system or custom field of an object, in the lists of fields. */
export const Field = Type.Object(
  {
    name: Type.String({ description: 'System name, or slug of a custom field.', examples: ['deal_tier'] }),
    current_name: Type.String({ description: 'Display name; may change.', examples: ['Deal tier'] }),
    property_name: Type.String({
      description: 'The name to use in `fields`, filters and sorts: a system name, or `custom__<slug>`.',
      examples: ['custom__deal_tier'],
    }),
    attribute_type: oneOf([...attributeTypes, 'contact_list'], {
      description:
        'The type of its values. Only the system field `additional_contacts` has the type `contact_list`: contacts ' +
        'with id, name and email.',
      examples: ['select'],
    }),
    metadata: nullable(ListedMetadata),
    field_id: Type.Optional(uuid('Custom fields: the id.', 'field')),
    is_custom: Type.Boolean({ description: 'Whether the organization defined it.' }),
    is_hidden: Type.Optional(Type.Boolean({ description: 'Whether reads leave it out unless `fields` names it.' })),
    is_active: Type.Optional(Type.Boolean({ description: 'Custom fields: false if it is archived.' })),
    pipeline_ids: Type.Optional(
      nullable(
        Type.Array(uuid('Id of a pipeline.', 'pipeline'), {
          description: 'Custom fields of opportunities: the pipelines they apply to; null for all.',
        }),
      ),
    ),
  },
  { title: 'Field', description: 'A field of an object.', examples: [exampleField] },
);
export type Field = Static<typeof Field>;

/** `data` of a page of fields. */
export const FieldPage = Type.Object(
  { fields: Type.Array(Field, { description: 'The fields of this page.' }), ...pageProperties },
  {
    title: 'FieldPage',
    description: 'A page of fields.',
    examples: [{ fields: [exampleField], has_more: false, next_cursor: null, limit: 100 }],
  },
);
export type FieldPage = Static<typeof FieldPage>;
