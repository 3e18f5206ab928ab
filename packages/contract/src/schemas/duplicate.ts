import { Type, type Static } from 'typebox';
import { responseObject, nullable, oneOf, uuid } from './build.js';
import type { exampleIds } from './example-ids.js';
import { pageProperties } from './pagination.js';

const recordProperties = (kind: keyof typeof exampleIds, key: string) => ({
  id: uuid('Id of the record.', kind),
  name: nullable(Type.String({ description: 'Name.', examples: ['Acme'] })),
  key: nullable(
    Type.String({
      description: 'Account: its domain. Contact: its email. Opportunity: the domain of its account.',
      examples: [key],
    }),
  ),
});

const DuplicateCandidate = responseObject('DuplicateCandidate', 'An older record that may be the same.', {
  ...recordProperties('second', 'acme.com'),
  reasons: Type.Array(
    oneOf(['same_name', 'same_name_near_domain', 'same_phone'], { examples: ['same_name_near_domain'] }),
    {
      description:
        '`same_name`: contacts or opportunities of the same account with the same normalized name; opportunities ' +
        'also of the same pipeline. `same_name_near_domain`: accounts with the same name and similar domains. ' +
        '`same_phone`: contacts with the same phone number.',
    },
  ),
});

const Duplicate = responseObject('Duplicate', 'A record that may be a duplicate.', {
  ...recordProperties('account', 'acme.de'),
  candidates: Type.Array(DuplicateCandidate, {
    description: 'Older records that may be the same, newest first.',
  }),
  truncated: Type.Boolean({
    description: 'Whether more than 20 older records have its name or phone. Only the newest 20 were compared.',
    examples: [false],
  }),
});

/** `data` of a page of duplicates. */
export const DuplicatePage = responseObject('DuplicatePage', 'A page of records that may be duplicates.', {
  duplicates: Type.Array(Duplicate, {
    description: 'In order of creation. A page checks up to 200 records, so it may be empty without being the last.',
  }),
  ...pageProperties,
});
export type DuplicatePage = Static<typeof DuplicatePage>;
