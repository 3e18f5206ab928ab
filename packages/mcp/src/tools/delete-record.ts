import { z } from 'zod';
import { collections, objects, readId } from '../records.js';
import { orMayBeMade } from '../tool-error.js';
import { changes, defineTool } from '../tool.js';

/** `delete_record` */
export const deleteRecord = defineTool({
  name: 'delete_record',
  title: 'Delete a record',
  description:
    'Deletes a record. Contacts and notes are erased for good; an administrator can restore deals and accounts. An account with contacts or deals is refused. Ask the user first.',
  annotations: changes,
  needs: [['delete', 'deleteOpportunity', 'deleteAccount', 'deleteContact', 'deleteNote']],
  input: z.object({ object: z.enum(objects), id: z.string(), version: z.int().min(1).describe('as read') }),
  output: z.object({ deleted_id: z.string() }),
  run: async ({ crm }, { object, id, version }) => {
    const deletion = crm[collections[object]].delete(readId(id, 'id'), { ifVersion: version });
    const { data } = await orMayBeMade(deletion, 'The deletion');
    return { deleted_id: data.id };
  },
});
