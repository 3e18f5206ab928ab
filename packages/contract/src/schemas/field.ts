import { attributeTypes } from '@crm/domain';
import { Type, type Static } from 'typebox';
import { responseObject, nullable, oneOf, uuid } from './build.js';
import { ListedMetadata } from './custom-field.js';
import { pageProperties } from './pagination.js';

/** A system or custom field of an object, in the lists of fields. */
export const Field = responseObject('Field', 'A field of an object.', {
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
  is_custom: Type.Boolean({ description: 'Whether the organization defined it.', examples: [true] }),
  is_hidden: Type.Optional(
    Type.Boolean({ description: 'Whether reads leave it out unless `fields` names it.', examples: [false] }),
  ),
  is_active: Type.Optional(Type.Boolean({ description: 'Custom fields: false if it is archived.', examples: [true] })),
  pipeline_ids: Type.Optional(
    nullable(
      Type.Array(uuid('Id of a pipeline.', 'pipeline'), {
        description: 'Custom fields of opportunities: the pipelines they apply to; null for all.',
        examples: [null],
      }),
    ),
  ),
});
export type Field = Static<typeof Field>;

/** `data` of a page of fields. */
export const FieldPage = responseObject('FieldPage', 'A page of fields.', {
  fields: Type.Array(Field, { description: 'The fields of this page.' }),
  ...pageProperties,
});
