import { Type, type Static } from 'typebox';
import { instant, nullable, uuid } from './build.js';
import { CustomFieldDefinitions, CustomFields } from './custom-field.js';
import { exampleIds } from './example-ids.js';
import { pageProperties } from './pagination.js';

const exampleRecord = { id: exampleIds.account, domain: 'acme.com', name: 'Acme', custom_fields: {} };

/** An account in lists, searches and gets. */
export const Account = Type.Object(
  {
    id: uuid('Id of the account.', 'account'),
    domain: Type.String({ description: 'Domain: its natural key.', examples: ['acme.com'] }),
    name: nullable(Type.String({ description: 'Name.', examples: ['Acme'] })),
    custom_fields: CustomFields,
    external_id: Type.Optional(
      nullable(Type.String({ description: 'Its id in another system.', examples: ['SF-0012'] })),
    ),
    industry: Type.Optional(nullable(Type.String({ description: 'Industry.', examples: ['Manufacturing'] }))),
    description: Type.Optional(nullable(Type.String({ description: 'Description.' }))),
    website: Type.Optional(nullable(Type.String({ description: 'Website.', examples: ['https://acme.com'] }))),
    employee_range: Type.Optional(
      nullable(Type.String({ description: 'Number of employees, as a range.', examples: ['51-200'] })),
    ),
    is_freemail: Type.Optional(Type.Boolean({ description: 'Whether its domain is that of a free mail provider.' })),
    created_at: Type.Optional(instant('When it was created.')),
    updated_at: Type.Optional(instant('When it last changed.')),
    version: Type.Optional(
      Type.Integer({ description: 'Increases with every change; also the `ETag`.', examples: [1] }),
    ),
  },
  { title: 'Account', description: 'A company.', examples: [exampleRecord] },
);
export type Account = Static<typeof Account>;

/** `data` of a page of accounts. */
export const AccountPage = Type.Object(
  {
    accounts: Type.Array(Account, { description: 'The records of this page.' }),
    custom_field_definitions: CustomFieldDefinitions,
    ...pageProperties,
  },
  {
    title: 'AccountPage',
    description: 'A page of accounts.',
    examples: [
      { accounts: [exampleRecord], custom_field_definitions: {}, has_more: false, next_cursor: null, limit: 100 },
    ],
  },
);
export type AccountPage = Static<typeof AccountPage>;

/** `data` of one account. */
export const AccountDetail = Type.Object(
  { account: Account, custom_field_definitions: CustomFieldDefinitions },
  {
    title: 'AccountDetail',
    description: 'One account with every system field and visible custom field, unless `fields` narrows it.',
    examples: [
      {
        account: { ...exampleRecord, industry: 'Manufacturing', is_freemail: false, version: 1 },
        custom_field_definitions: {},
      },
    ],
  },
);
export type AccountDetail = Static<typeof AccountDetail>;
