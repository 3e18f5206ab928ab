import { z } from 'zod';
import { shorten } from '../budget.js';
import { pageArguments } from '../filters.js';
import { readFittingPage } from '../pages.js';
import { readRecord, showNote } from '../records.js';
import { kinds } from '../setup.js';
import { invalid } from '../tool-error.js';
import { anyObject, defineTool, foreignWords, notice, reads, resultProperties, text } from '../tool.js';

const parameters = { deal: 'opportunity_id', account: 'account_id', contact: 'contact_id' } as const;

/** `list_notes` */
export const listNotes = defineTool({
  name: 'list_notes',
  title: 'List notes',
  description: `Lists notes, newest first: all, or those on one record. Long texts are cut; get_record has the whole note. ${foreignWords}`,
  annotations: reads,
  needs: [['list', 'listNotes']],
  input: z.object({
    object: z.enum(kinds).optional(),
    key: text('with object: its id, domain or email'),
    query: text('words that all occur in title or content'),
    ...pageArguments,
  }),
  output: z.object({ notes: z.array(anyObject), ...resultProperties }),
  run: async (session, { object, key, query, limit, cursor }) => {
    if ((object === undefined) !== (key === undefined)) throw invalid({ key: 'send object and key together' });
    const record = object && key ? await readRecord(session, object, key) : {};
    const where = { ...(object && { [parameters[object]]: String(record['id']) }), ...(query && { q: query }) };
    const { items, ...rest } = await readFittingPage(cursor, limit, async (page) => {
      const { data } = await session.crm.notes.list({ ...where, ...page }).page();
      return { items: data.notes.map((note) => shorten(showNote(note))), next: data.next_cursor };
    });
    return { notes: items, ...rest, notice };
  },
});
