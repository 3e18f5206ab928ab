import { Type, type Static } from 'typebox';
import { flag, integer, listOf, oneOf, optional, responseObject, uuid } from './build.js';
import { OpportunityConflict } from './envelope.js';
import { exampleIds } from './example-ids.js';
import { closed } from './input.js';

/** The body that merges another record into the one in the path. */
export const MergeBody = closed(
  {
    from: uuid('Id of the record to merge into the one in the path. It is deleted.', 'second'),
    dry_run: optional(flag('Return what would change without changing it.')),
    deals: optional(
      oneOf(
        ['merge'],
        '`merge`: also merge opportunities that would get the same pipeline, account and name. Without it, a ' +
          'merge with such opportunities gets 409; a dry run lists them.',
      ),
    ),
  },
  { title: 'MergeBody', description: 'The record to merge.', examples: [{ from: exampleIds.second, dry_run: true }] },
);
export type MergeBody = Static<typeof MergeBody>;

const count = (description: string, example: number) => integer(description, example, { minimum: 0 });

/** `data` of a merge. */
export const Merged = responseObject('Merged', 'What a merge changed, or would change.', {
  id: uuid('Id of the kept record.', 'account'),
  from: uuid('Id of the record that was merged into it.', 'second'),
  dry_run: flag('Whether this was a dry run, which changes nothing.', true),
  contacts: count('Contacts that moved to the kept account; 0 in a merge of contacts.', 3),
  opportunities: count('Opportunities that moved to the kept record.', 2),
  merged_opportunities: count('Opportunities that were merged into opportunities of the kept record.', 0),
  notes: count('Notes that moved to the kept record.', 4),
  filled: listOf(
    Type.String({ examples: ['industry'] }),
    'Empty fields of the kept record that were filled in from the other one.',
  ),
  conflicts: listOf(
    OpportunityConflict,
    'In a dry run: opportunities that would get the same pipeline, account and name, at most 100. Empty ' +
      'otherwise.',
    [],
  ),
});
export type Merged = Static<typeof Merged>;
