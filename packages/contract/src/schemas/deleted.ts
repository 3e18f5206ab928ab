import { Type, type Static } from 'typebox';
import { uuid } from './build.js';
import { exampleIds } from './example-ids.js';

/** `data` of every deletion. */
export const Deleted = Type.Object(
  { id: uuid('Id of the record that was deleted.', 'note') },
  { title: 'Deleted', description: 'The deleted record.', examples: [{ id: exampleIds.note }] },
);
export type Deleted = Static<typeof Deleted>;
