import type { OperationContract } from '../operation.js';
import { CreateNoteBody, CreatedNote } from '../schemas/note.js';
import { createHeaders, writeExtra } from './shared.js';

/** `POST /v1/inbound/notes` */
export const createNote = {
  id: 'createNote',
  gateway: 'inbound',
  method: 'post',
  path: '/v1/inbound/notes',
  group: 'inbound',
  tag: 'Notes',
  summary: 'Create a note',
  description: 'Creates a note on at least one account or contact; those that do not exist are created.',
  body: CreateNoteBody,
  data: CreatedNote,
  extra: writeExtra,
  errors: [409, 422],
  headers: createHeaders,
} as const satisfies OperationContract;
