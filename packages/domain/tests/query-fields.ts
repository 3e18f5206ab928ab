import type { AttributeType } from '../src/custom-field/attribute-types.js';
import type { CustomFieldDefinition } from '../src/custom-field/definition.js';
import { ApiError, ErrorCollector, type FieldErrors } from '../src/errors.js';
import { createFieldIndex, type FieldIndex } from '../src/query/field-index.js';
import { definitionOf } from './definition-fixture.js';

/** A definition for tests; its id contains its slug. */
export const define = (
  slug: string,
  attributeType: AttributeType,
  overrides: Partial<CustomFieldDefinition> = {},
): CustomFieldDefinition => definitionOf(attributeType, { id: `id-of-${slug}`, slug, name: slug, ...overrides });

const options = ['red', 'green', 'blue'].map((value) => ({ label: value.toUpperCase(), value, color: '#000' }));

/** One field of every attribute type, some of them hidden or with the name of a system field. */
export const testDefinitions: readonly CustomFieldDefinition[] = [
  define('motto', 'string'),
  define('seats', 'number'),
  define('is_vip', 'checkbox'),
  define('signed_on', 'date'),
  define('term', 'date_range'),
  define('score', 'rating', { metadata: { max: 5 } }),
  define('seen_at', 'timestamp'),
  define('color', 'select', { metadata: { options } }),
  define('colors', 'multi_select', { metadata: { options } }),
  define('budget', 'currency', { metadata: { currency: 'EUR' } }),
  define('chance', 'percentage'),
  define('office', 'location'),
  define('call_time', 'time'),
  define('met_at', 'datetime'),
  define('billing_email', 'email'),
  define('hotline', 'phone'),
  define('homepage', 'website'),
  define('portal', 'url'),
  define('tier', 'radio', { metadata: { options } }),
  define('helpers', 'team_members'),
  define('secret_note', 'string', { isHidden: true }),
  define('name', 'string'),
];

/** A field index of {@link testDefinitions}. */
export const testFieldIndex: FieldIndex = createFieldIndex('opportunity', testDefinitions);

/** The errors that `read` added, as the caller of the API sees them; empty if it accepted its input. */
export const errorsOf = (read: (errors: ErrorCollector) => unknown): FieldErrors => {
  const errors = new ErrorCollector();
  read(errors);
  try {
    errors.throwIfAny();
    return {};
  } catch (error) {
    if (error instanceof ApiError && error.errors !== undefined) return error.errors;
    throw error;
  }
};

/** The result of `read`; fails if it added an error. */
export const accepted = <T>(read: (errors: ErrorCollector) => T): T => {
  const errors = new ErrorCollector();
  const value = read(errors);
  errors.throwIfAny();
  return value;
};
