import { nearestName } from '../nearest-name.js';
import type { FieldCatalogue } from './field-catalogue.js';
import { quote } from './quote.js';
import { systemFields } from './system-fields.js';

const customPrefix = 'custom__';

/** What is said of a name that means no field, with the visible field that it may be a slip of. */
export const unknownFieldText = ({ objectType, fullSelection }: FieldCatalogue, name: string): string => {
  const slugs = fullSelection.custom.map(({ slug }) => slug);
  const prefix = name.startsWith(customPrefix) ? customPrefix : '';
  const known = prefix === '' ? [...systemFields[objectType].map((field) => field.name), ...slugs] : slugs;
  const near = nearestName(name.slice(prefix.length), known);
  return `Unknown field ${quote(name)}${near === undefined ? '' : `, did you mean ${prefix}${near}?`}`;
};
