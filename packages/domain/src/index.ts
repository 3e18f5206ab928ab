export * from './api-key.js';
export * from './blocked-ports.js';
export * from './errors.js';
export * from './event-type.js';
export * from './exact-number.js';
export * from './failure.js';
export * from './json-scan.js';
export * from './nearest-name.js';
export * from './object-type.js';
export { account } from './objects/account.js';
export * from './objects/change.js';
export { contact } from './objects/contact.js';
export type { FieldDescription, FieldWrite, ObjectDescription, SystemFieldKind } from './objects/field.js';
export * from './objects/objects.js';
export { emptyNoteFault, unlinkedNoteFault } from './objects/note.js';
export { maxNextStepLength, opportunity } from './objects/opportunity.js';
export * from './objects/read-change.js';
export * from './objects/value-readers.js';
export * from './result.js';
export * from './custom-field/attribute-types.js';
export * from './custom-field/calendar.js';
export * from './custom-field/comparison.js';
export * from './custom-field/currency.js';
export * from './custom-field/custom-value.js';
export * from './custom-field/decimal.js';
export * from './custom-field/definition.js';
export * from './custom-field/definition-rules.js';
export * from './custom-field/definitions-map.js';
export * from './custom-field/field-metadata.js';
export * from './custom-field/parse-values.js';
export {
  maxAccountWebsiteLength,
  maxLocationPartLength,
  maxSelections,
  maxStringLength,
  maxTeamMembers,
} from './custom-field/values/bounds.js';
export { locationTextParts } from './custom-field/values/location.js';
export { parsePhone } from './custom-field/values/phone.js';
export { parseAccountWebsite, parseUrl, parseWebsite } from './custom-field/values/web-address.js';
export * from './text.js';
export * from './setup-limits.js';
export * from './steps.js';
export * from './to-url.js';
export * from './natural-key/account-name.js';
export * from './natural-key/domain.js';
export * from './natural-key/email.js';
export * from './natural-key/free-mail.js';
export * from './natural-key/name.js';
export * from './natural-key/near-domain.js';
export * from './natural-key/opportunity-key.js';
export * from './read-mark.js';
export * from './query/cursor.js';
export * from './query/changed-fields.js';
export * from './query/event-query.js';
export { createFieldIndex, type FieldIndex, type FieldSelection } from './query/field-index.js';
export * from './query/field-ref.js';
export { KnownLabels } from './query/known-labels.js';
export * from './query/field-selection.js';
export { maxListValues } from './query/filter/comparison.js';
export * from './query/filter/evaluate.js';
export * from './query/filter/operators.js';
export * from './query/filter/parse-filters.js';
export * from './query/filter/tree.js';
export * from './query/limit.js';
export * from './query/search-query.js';
export * from './query/sort.js';
export * from './query/summary.js';
export * from './query/system-fields.js';
