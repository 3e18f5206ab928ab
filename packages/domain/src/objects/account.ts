import { maxStringLength } from '../custom-field/values/bounds.js';
import { isFreeMail } from '../natural-key/free-mail.js';
import { normalizeOrNull } from '../text.js';
import { externalId, history, type ObjectDescription } from './field.js';

/** A company, known by its domain. */
export const account = {
  one: 'account',
  a: 'an account',
  many: 'accounts',
  fields: [
    { name: 'id', kind: 'uuid', always: true, required: true, about: 'Id of the account.', example: 'account' },
    {
      name: 'domain',
      kind: 'domain',
      always: true,
      required: true,
      copied: true,
      about: 'Domain: its natural key.',
      example: 'acme.com',
      write: {
        as: 'domain',
        isKey: true,
        about: 'Company domain: the natural key of an account.',
        derive: (domain: string) => ({ is_freemail: isFreeMail(domain) }),
      },
    },
    {
      name: 'name',
      kind: 'text',
      always: true,
      copied: true,
      about: 'Name.',
      example: 'Acme',
      write: {
        as: 'name',
        about: 'Name. By default, a new account is named after its domain.',
        derive: (name: string | null) => ({ normalized_name: normalizeOrNull(name) }),
      },
    },
    {
      name: 'additional_domains',
      kind: 'text_list',
      required: true,
      about: 'Other domains that find it: those of accounts that were merged into it.',
      example: ['acme-old.example'],
    },
    externalId,
    { name: 'industry', kind: 'text', about: 'Industry.', example: 'Manufacturing', write: { as: 'text' } },
    { name: 'description', kind: 'text', about: 'Description.', write: { as: 'text', max: maxStringLength } },
    { name: 'website', kind: 'text', about: 'Website.', example: 'https://acme.com', write: { as: 'website' } },
    {
      name: 'employee_range',
      kind: 'text',
      about: 'Number of employees, as a range.',
      example: '51-200',
      write: { as: 'text' },
    },
    {
      name: 'is_freemail',
      kind: 'boolean',
      required: true,
      about: 'Whether its domain is that of a free mail provider.',
      example: false,
    },
    ...history,
  ],
} as const satisfies ObjectDescription;
