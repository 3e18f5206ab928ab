import { deleteNote as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { deleteRecord } from '../delete-record.js';

/** `DELETE /v1/inbound/notes/{id}`: its accounts and contacts stay. */
export const deleteNote = defineOperation<Context, typeof contract>(contract, (context, request) =>
  deleteRecord(context, request, 'note'),
);
