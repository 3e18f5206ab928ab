import { Type, type Static } from 'typebox';
import { nullable, oneOf, uuid } from './build.js';
import { exampleIds } from './example-ids.js';
import { pageProperties } from './pagination.js';

const recordProperties = {
  id: uuid('Id of the record.', 'account'),
  name: nullable(Type.String({ description: 'Name.', examples: ['Acme'] })),
  key: nullable(
    Type.String({
      description: 'Account: its domain. Contact: its email. Opportunity: the domain of its account.',
      examples: ['acme.de'],
    }),
  ),
};

const DuplicateCandidate = Type.Object(
  {
    ...recordProperties,
    reasons: Type.Array(oneOf(['same_name', 'same_name_near_domain', 'same_phone'], { examples: ['same_name'] }), {
      description:
        '`same_name`: contacts or opportunities of the same account with the same normalized name; opportunities ' +
        'also of the same pipeline. `same_name_near_domain`: accounts with the same name and similar domains. ' +
        '`same_phone`: contacts with the same phone number.',
    }),
  },
  { title: 'DuplicateCandidate', description: 'An older record that may be the same.' },
);

const Duplicate = Type.Object(
  {
    ...recordProperties,
    candidates: Type.Array(DuplicateCandidate, {
      description: 'Older records that may be the same, newest first.',
    }),
    truncated: Type.Boolean({
      description: 'Whether more than 20 older records have its name or phone. Only the newest 20 were compared.',
      examples: [false],
    }),
  },
  { title: 'Duplicate', description: 'A record that may be a duplicate.' },
);

const example = { id: exampleIds.account, name: 'Acme', key: 'acme.de' };

/** `data` of a page of duplicates. */
export const DuplicatePage = Type.Object(
  {
    duplicates: Type.Array(Duplicate, {
      description: 'In order of creation. A page checks up to 200 records, so it may be empty without being the last.',
    }),
    ...pageProperties,
  },
  {
    title: 'DuplicatePage',
    description: 'A page of records that may be duplicates.',
    examples: [
      {
        duplicates: [
          {
            ...example,
            candidates: [{ id: exampleIds.contact, name: 'Acme', key: 'acme.com', reasons: ['same_name_near_domain'] }],
            truncated: false,
          },
        ],
        has_more: false,
        next_cursor: null,
        limit: 100,
      },
    ],
  },
);
export type DuplicatePage = Static<typeof DuplicatePage>;
