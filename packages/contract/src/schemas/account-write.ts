import { Type, type Static } from 'typebox';
import { bulkCreateItems, bulkUpdateItems, stringFieldLength, urlLength } from '../bounds.js';
import { checkedAs, nullable, optional, uuid } from './build.js';
import { bulkBody, bulkTarget } from './bulk.js';
import { CustomFieldInput } from './custom-field.js';
import { exampleIds } from './example-ids.js';
import { closedWithCustom, DomainInput, ExternalId, requiredWithoutExternalId, ShortText } from './input.js';

const domain = DomainInput('Company domain: the natural key of an account.');
const domainOrExternalId = DomainInput(
  'Company domain: the natural key of an account. Optional if an account has the `external_id`.',
);

/** The fields of an account that a create or update can set besides its domain. */
const writableFields = {
  external_id: ExternalId,
  name: optional(ShortText('Name. By default, a new account is named after its domain.', 'Acme')),
  industry: optional(ShortText('Industry.', 'Manufacturing')),
  description: optional(Type.String({ maxLength: stringFieldLength, description: 'Description.' })),
  website: optional(
    Type.String({
      maxLength: urlLength,
      description: 'Website.',
      examples: ['https://acme.com'],
      ...checkedAs('website'),
    }),
  ),
  employee_range: optional(ShortText('Number of employees, as a range.', '51-200')),
};

/** The body that creates an account. */
export const CreateAccountBody = closedWithCustom(
  { domain: optional(domainOrExternalId), ...writableFields, custom_fields: optional(CustomFieldInput) },
  {
    title: 'CreateAccountBody',
    description: 'A company.',
    examples: [{ domain: 'acme.com' }],
    ...requiredWithoutExternalId('domain'),
  },
);
export type CreateAccountBody = Static<typeof CreateAccountBody>;

const updateProperties = {
  domain: Type.Optional(domain),
  ...writableFields,
  custom_fields: Type.Optional(CustomFieldInput),
};

/** The body that updates an account. */
export const UpdateAccountBody = closedWithCustom(updateProperties, {
  title: 'UpdateAccountBody',
  description: 'Changes to an account. Absent fields stay; `null` clears a field.',
  examples: [{ industry: 'Manufacturing', description: null }],
});
export type UpdateAccountBody = Static<typeof UpdateAccountBody>;

/** One item of a bulk update of accounts. */
export const UpdateAccountItem = closedWithCustom(
  { ...bulkTarget, ...updateProperties },
  { title: 'UpdateAccountItem', description: 'Changes to the account with this id.' },
);
export type UpdateAccountItem = Static<typeof UpdateAccountItem>;

/** The body that creates many accounts. */
export const BulkCreateAccountsBody = bulkBody(CreateAccountBody, bulkCreateItems, {
  title: 'BulkCreateAccountsBody',
  description: 'The records to create, each as in a single create.',
  examples: [{ items: [{ domain: 'acme.com' }, { domain: 'example.com' }] }],
});

/** The body that updates many accounts. */
export const BulkUpdateAccountsBody = bulkBody(UpdateAccountItem, bulkUpdateItems, {
  title: 'BulkUpdateAccountsBody',
  description: 'The changes, each as in a single update, with the id of its record.',
  examples: [{ items: [{ id: exampleIds.account, industry: 'Manufacturing' }] }],
});

/** `data` of a created or matched account. */
export const CreatedAccount = Type.Object(
  {
    company_id: uuid('Id of the account.', 'account'),
    domain: Type.String({ description: 'Its domain, normalized.', examples: ['acme.com'] }),
    name: nullable(Type.String({ description: 'Its name; null if it was cleared.', examples: ['Acme'] })),
  },
  {
    title: 'CreatedAccount',
    description: 'The account that the call created or found.',
    examples: [{ company_id: exampleIds.account, domain: 'acme.com', name: 'Acme' }],
  },
);
export type CreatedAccount = Static<typeof CreatedAccount>;
