import type { Static } from 'typebox';
import { flag, listOf, nullable, oneOf, responseObject, text, uuid } from './build.js';
import type { exampleIds } from './example-ids.js';
import { pageOf } from './pagination.js';

const recordProperties = (kind: keyof typeof exampleIds, key: string) => ({
  id: uuid('Id of the record.', kind),
  name: nullable(text('Name.', 'Acme')),
  key: nullable(text('Account: its domain. Contact: its email. Opportunity: the domain of its account.', key)),
});

const DuplicateCandidate = responseObject('DuplicateCandidate', 'An older record that may be the same.', {
  ...recordProperties('second', 'acme.com'),
  reasons: listOf(
    oneOf(['same_name', 'same_name_near_domain', 'same_phone'], undefined, 'same_name_near_domain'),
    '`same_name`: contacts or opportunities of the same account with the same normalized name; opportunities ' +
      'also of the same pipeline. `same_name_near_domain`: accounts with the same name and similar domains. ' +
      '`same_phone`: contacts with the same phone number.',
  ),
});

const Duplicate = responseObject('Duplicate', 'A record that may be a duplicate.', {
  ...recordProperties('account', 'acme.de'),
  candidates: listOf(DuplicateCandidate, 'Older records that may be the same, newest first.'),
  truncated: flag(
    'Whether more than 20 older records have its name or phone. Only the newest 20 were compared.',
    false,
  ),
});

/** `data` of a page of duplicates. */
export const DuplicatePage = pageOf('DuplicatePage', 'A page of records that may be duplicates.', {
  duplicates: listOf(
    Duplicate,
    'In order of creation. A page checks up to 200 records, so it may be empty without being the last.',
  ),
});
export type DuplicatePage = Static<typeof DuplicatePage>;
