import { parseFieldMetadata, type AttributeType, type FieldMetadata } from '@crm/domain';

import { usageError } from '../errors.js';

/** The command-line option of each property. */
const optionOf = { options: '--option', currency: '--currency', max: '--max' } as const;

type Property = keyof typeof optionOf;

/** The property that each type has; other types have none. */
const propertyOf: Readonly<Partial<Record<AttributeType, Property>>> = {
  select: 'options',
  radio: 'options',
  multi_select: 'options',
  currency: 'currency',
  rating: 'max',
};

/**
 * Reads the type-specific options of a field.
 *
 * @throws CliError (2) that names the option at fault
 */
export const readFieldMetadata = (
  type: AttributeType,
  given: Readonly<Partial<Record<Property, unknown>>>,
): FieldMetadata | null => {
  for (const property of Object.keys(given) as Property[]) {
    if (propertyOf[type] !== property)
      throw usageError(`${optionOf[property]} does not apply to fields of the type ${type}.`);
  }
  if (propertyOf[type] === 'options' && given.options === undefined) {
    throw usageError(`--option: a field of the type ${type} needs at least one option.`);
  }
  const metadata = parseFieldMetadata(type, given);
  if (metadata.ok) return metadata.value;
  throw usageError(metadata.message.replace(/^(options|currency|max)/, (property) => optionOf[property as Property]));
};
