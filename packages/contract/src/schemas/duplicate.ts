import { Type, type Static } from 'typebox';
import { nullable, oneOf, uuid } from './build.js';
import { exampleIds } from './example-ids.js';
import { pageProperties } from './pagination.js';

const recordProperties = {
  id: uuid('Id of the record.', 'account'),
  name: nullable(Type.String({ description: 'Name.', examples: ['Acme'] })),
  key: nullable(
    Type.String({
      description: 'Domain of an account, email of a contact, the account’s domain of an opportunity.',
      examples: ['acme.de'],
    }),
  ),
};

const DuplicateCandidate = Type.Object(
  {
    ...recordProperties,
    reasons: Type.Array(oneOf(['same_name', 'same_name_near_domain', 'same_phone'], { examples: ['same_name'] }), {
      description:
        '`same_name`: the same normalized name in one account, for opportunities also in one pipeline. `same_name_near_domain`: ' +
        'accounts of one name whose domains are alike. `same_phone`: contacts of one phone number.',
    }),
  },
  { title: 'DuplicateCandidate', description: 'An older record that may be the same.' },
);

const Duplicate = Type.Object(
  {
    ...recordProperties,
    candidates: Type.Array(DuplicateCandidate, {
      description: 'Older records that may be the same, the latest first.',
    }),
    truncated: Type.Boolean({
      description: 'Whether more than 20 older records have its name or phone. Only the latest 20 were compared.',
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
      description: 'In the order of creation. A page looks at 200 records: it may hold none and still not be the last.',
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
