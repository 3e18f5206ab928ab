import type { OperationContract } from '../operation.js';
import { Restored, RestoreBody } from '../schemas/restore.js';
import { idempotentWriteHeaders, writeExtra } from './shared.js';

/** `POST /v1/inbound/restore` */
export const restoreRecord = {
  id: 'restoreRecord',
  gateway: 'inbound',
  method: 'post',
  path: '/v1/inbound/restore',
  group: 'inbound',
  tag: 'Events',
  summary: 'Restore a deleted record',
  description:
    'Restores a deleted account or opportunity with its id, its values and its links to records that still ' +
    'exist. Contacts and notes cannot be restored, because deleting them erases their data.',
  body: RestoreBody,
  data: Restored,
  extra: writeExtra,
  errors: [404, 409, 422],
  headers: idempotentWriteHeaders,
} as const satisfies OperationContract;
