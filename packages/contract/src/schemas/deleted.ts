import type { Static } from 'typebox';
import { integer, responseObject, uuid } from './build.js';

/** `data` of the deletion of a part of the setup. */
export const Deleted = responseObject('Deleted', 'What was deleted.', { id: uuid('Id of what was deleted.', 'field') });
export type Deleted = Static<typeof Deleted>;

/** `data` of the deletion of a record. */
export const DeletedRecord = responseObject('DeletedRecord', 'The deleted record.', {
  id: uuid('Id of the record that was deleted.', 'account'),
  position: integer('Position of the event in the change log.', 1_042, { minimum: 1 }),
});
