import type { Tool } from '../tool.js';
import { addNote } from './add-note.js';

import { deleteRecord } from './delete-record.js';
import { describeCrm } from './describe-crm.js';
import { getRecord } from './get-record.js';
import { listChanges } from './list-changes.js';
import { listNotes } from './list-notes.js';
import { searchTools } from './search.js';
import { summarizeDeals } from './summarize-deals.js';
import { createTools, updateTools } from './write-records.js';

/** All tools, in the order in which clients list them: reads first, the deletion last. */
export const tools: readonly Tool[] = [
  describeCrm,
  ...searchTools,
  getRecord,
  listNotes,
  listChanges,
  summarizeDeals,
  ...createTools,
  addNote,
  ...updateTools,
  deleteRecord,
];
