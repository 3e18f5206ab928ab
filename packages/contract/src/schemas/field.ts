import { attributeTypes } from '@crm/domain';
import { Type, type Static } from 'typebox';
import { flag, listOf, nullable, oneOf, responseObject, text, uuid } from './build.js';
import { ListedMetadata } from './custom-field.js';
import { pageOf } from './pagination.js';

/** A system or custom field of an object, in the lists of fields. */
export const Field = responseObject('Field', 'A field of an object.', {
  name: text('System name, or slug of a custom field.', 'deal_tier'),
  current_name: text('Display name; may change.', 'Deal tier'),
  property_name: text(
    'The name to use in `fields`, filters and sorts: a system name, or `custom__<slug>`.',
    'custom__deal_tier',
  ),
  attribute_type: oneOf(
    [...attributeTypes, 'contact_list', 'text_list'],
    'The type of its values. Two types only system fields have: `contact_list`, contacts with id, name and email, and ' +
      '`text_list`.',
    'select',
  ),
  metadata: nullable(ListedMetadata),
  field_id: Type.Optional(uuid('Custom fields: the id.', 'field')),
  is_custom: flag('Whether the organization defined it.', true),
  is_hidden: Type.Optional(flag('Whether reads leave it out unless `fields` names it.', false)),
  is_active: Type.Optional(flag('Custom fields: false if it is archived.', true)),
  pipeline_ids: Type.Optional(
    nullable(
      listOf(
        uuid('Id of a pipeline.', 'pipeline'),
        'Custom fields of opportunities: the pipelines they apply to; null for all.',
        null,
      ),
    ),
  ),
});
export type Field = Static<typeof Field>;

/** `data` of a page of fields. */
export const FieldPage = pageOf('FieldPage', 'A page of fields.', {
  fields: listOf(Field, 'The fields of this page.'),
});
