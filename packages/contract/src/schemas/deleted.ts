import { Type, type Static } from 'typebox';
import { uuid } from './build.js';
import { exampleIds } from './example-ids.js';

/** `data` of the deletion of a part of the setup. */
export const Deleted = Type.Object(
  { id: uuid('Id of what was deleted.', 'field') },
  { title: 'Deleted', description: 'What was deleted.', examples: [{ id: exampleIds.field }] },
);
export type Deleted = Static<typeof Deleted>;

/** `data` of the deletion of a record. */
export const DeletedRecord = Type.Object(
  {
    id: uuid('Id of the record that was deleted.', 'account'),
    position: Type.Integer({ minimum: 1, description: 'Position of the event in the change log.', examples: [1_042] }),
  },
  {
    title: 'DeletedRecord',
    description: 'The deleted record.',
    examples: [{ id: exampleIds.account, position: 1_042 }],
  },
);
export type DeletedRecord = Static<typeof DeletedRecord>;
