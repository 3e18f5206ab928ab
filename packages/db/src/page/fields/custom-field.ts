import { comparisonKind, type CustomFieldDefinition, isNormalized, propertyName } from '@crm/domain';
import type { Parameters } from '../parameters.js';
import { type FieldSql, lazyText, scalar, text } from './field-sql.js';

/** A part of a date range or location, such as `visit.start` or `office.city`. */
const partField = (definition: CustomFieldDefinition, part: string, parameters: Parameters): FieldSql => {
  const isLocation = definition.attributeType === 'location';
  if (isLocation && part !== 'lat' && part !== 'lng') {
    const name = propertyName(definition.slug);
    return lazyText(() => `r.normalized->${parameters.add(name)}::text->>${parameters.add(part)}::text`);
  }
  const value = `r.custom_fields->${parameters.add(definition.slug)}::text->>${parameters.add(part)}::text`;
  return isLocation ? scalar(`(${value})::float8`, 'float8', true) : text(value);
};

/** SQL for a custom field of the record `r`. A field with a slot compares and sorts by the slot's column, which is indexed. */
export const customField = (
  definition: CustomFieldDefinition,
  part: string | undefined,
  parameters: Parameters,
): FieldSql => {
  if (part !== undefined) return partField(definition, part, parameters);
  const { attributeType, slot, slug } = definition;
  const kind = comparisonKind(attributeType);
  if (kind === 'text') {
    const name = isNormalized(attributeType) ? propertyName(slug) : slug;
    const column = isNormalized(attributeType) ? 'r.normalized' : 'r.custom_fields';
    return lazyText(() => `${column}->>${parameters.add(name)}::text`, slot);
  }
  if (kind === 'number') {
    if (slot !== null) return scalar(`r.${slot}`, 'float8', true, { isIndexed: true });
    const value = `(r.custom_fields->>${parameters.add(slug)}::text)`;
    return scalar(attributeType === 'checkbox' ? `${value}::boolean::int::float8` : `${value}::float8`, 'float8', true);
  }
  const value = `(r.custom_fields->${parameters.add(slug)}::text)`;
  return { ...scalar(value, 'text', true), form: kind === 'set' ? 'set' : 'whole' };
};
