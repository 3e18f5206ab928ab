import { attributeKinds } from '../../custom-field/definition.js';
import type { FieldRef } from '../field-ref.js';
import type { SystemFieldKind } from '../../objects/field.js';
import { relationKinds } from '../system-fields.js';
import type { FilterKind } from './operators.js';

const systemKinds: Readonly<Record<SystemFieldKind, FilterKind>> = {
  text: 'text',
  email: 'email',
  domain: 'domain',
  number: 'number',
  boolean: 'boolean',
  uuid: 'uuid',
  epoch_ms: 'instant',
  timestamp: 'instant',
  contact_list: 'whole',
};

/** How the values of this field compare. */
export const filterKindOf = (ref: FieldRef): FilterKind => {
  if (ref.source === 'system') return systemKinds[ref.field.kind];
  if (ref.source === 'relation') return systemKinds[relationKinds[ref.name]];
  if (ref.part === undefined) return attributeKinds[ref.definition.attributeType];
  if (ref.definition.attributeType === 'date_range') return 'date';
  return ref.part === 'lat' || ref.part === 'lng' ? 'number' : 'text';
};
