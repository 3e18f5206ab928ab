import { Type, type Static } from 'typebox';
import { oneOf, optional, uuid } from './build.js';
import { OpportunityConflict } from './envelope.js';
import { exampleIds } from './example-ids.js';
import { closed } from './input.js';

/** The body that merges a record into the one of the path. */
export const MergeBody = closed(
  {
    from: uuid('Id of the record that goes.', 'second'),
    dry_run: optional(Type.Boolean({ description: 'Answer what would change, and change nothing.' })),
    deals: optional(
      oneOf(['merge'], {
        description:
          '`merge` also merges opportunities that would have one pipeline, account and name. Without it they refuse the call.',
      }),
    ),
  },
  { title: 'MergeBody', description: 'The record to merge.', examples: [{ from: exampleIds.second, dry_run: true }] },
);
export type MergeBody = Static<typeof MergeBody>;

const count = (description: string) => Type.Integer({ minimum: 0, description, examples: [0] });

/** `data` of a merge. */
export const Merged = Type.Object(
  {
    id: uuid('Id of the kept record.', 'account'),
    from: uuid('Id of the record that went.', 'second'),
    dry_run: Type.Boolean({ description: 'Whether nothing was changed.' }),
    contacts: count('Contacts that moved to the kept account; 0 in a merge of contacts.'),
    opportunities: count('Opportunities that moved to the kept record.'),
    merged_opportunities: count('Opportunities that were merged into one of the kept record.'),
    notes: count('Notes that moved to the kept record.'),
    filled: Type.Array(Type.String({ examples: ['industry'] }), {
      description: 'Fields of the kept record that were empty and got the value of the other one.',
    }),
    conflicts: Type.Array(OpportunityConflict, {
      description:
        'In a dry run: opportunities that would have one pipeline, account and name, at most 100. Empty otherwise.',
    }),
  },
  {
    title: 'Merged',
    description: 'What a merge changed, or would change.',
    examples: [
      {
        id: exampleIds.account,
        from: exampleIds.second,
        dry_run: true,
        contacts: 3,
        opportunities: 2,
        merged_opportunities: 0,
        notes: 4,
        filled: ['industry'],
        conflicts: [],
      },
    ],
  },
);
export type Merged = Static<typeof Merged>;
