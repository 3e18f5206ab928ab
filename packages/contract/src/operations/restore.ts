import { operation } from '../operation.js';
import { Restored, RestoreBody } from '../schemas/restore.js';
import { idempotentWriteHeaders, writeExtra } from './shared.js';

/** `POST /v1/inbound/restore` */
export const restoreRecord = operation(['restoreRecord', 'POST /v1/inbound/restore', 'inbound', 'Events'], {
  summary: 'Restore a deleted record',
  description:
    'Restores a deleted account or opportunity with its id, its values and its links to records that still ' +
    'exist. Contacts and notes cannot be restored, because deleting them erases their data.',
  body: RestoreBody,
  data: Restored,
  extra: writeExtra,
  errors: [404, 409, 422],
  headers: idempotentWriteHeaders,
});
