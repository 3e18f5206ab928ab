import { Type, type Static } from 'typebox';
import { stringFieldLength, urlLength } from '../bounds.js';
import { optional, uuid } from './build.js';
import { CustomFieldInput } from './custom-field.js';
import { closedWithCustom, DomainInput, ShortText } from './input.js';

/** The fields of an account that a create or update may set beside its domain. */
const writableFields = {
  name: optional(ShortText('Name; made from the domain when absent on creation.', 'Acme')),
  industry: optional(ShortText('Industry.', 'Manufacturing')),
  description: optional(Type.String({ maxLength: stringFieldLength, description: 'Description.' })),
  website: optional(Type.String({ maxLength: urlLength, description: 'Website.', examples: ['https://acme.com'] })),
  employee_range: optional(ShortText('Number of employees, as a range.', '51-200')),
  custom_fields: optional(CustomFieldInput),
};

/** The body that creates an account. */
export const CreateAccountBody = closedWithCustom(
  { domain: DomainInput('Company domain: the natural key of an account.'), ...writableFields },
  { title: 'CreateAccountBody', description: 'A company.', examples: [{ domain: 'acme.com' }] },
);
export type CreateAccountBody = Static<typeof CreateAccountBody>;

/** `data` of a created or matched account. */
export const CreatedAccount = Type.Object(
  {
    company_id: uuid('Id of the account.'),
    domain: Type.String({ description: 'Its domain, normalised.', examples: ['acme.com'] }),
    name: Type.String({ description: 'Its name.', examples: ['Acme'] }),
  },
  {
    title: 'CreatedAccount',
    description: 'The account that the call created or found.',
    examples: [{ company_id: '0197a3c4-6c9a-7d44-9c3b-0b5e8f7a6d13', domain: 'acme.com', name: 'Acme' }],
  },
);
export type CreatedAccount = Static<typeof CreatedAccount>;
