import { z } from 'zod';
import { partOfRecord } from '../budget.js';
import { objects, readRecord } from '../records.js';
import { invalid } from '../tool-error.js';
import { anyObject, defineTool, foreignWords, notice, reads, resultProperties, text } from '../tool.js';

/** `get_record` */
export const getRecord = defineTool({
  name: 'get_record',
  title: 'Read a record',
  description: `Reads one record with all fields; absent ones are empty. Its version is needed to change it. ${foreignWords}`,
  annotations: reads,
  needs: [['list', 'getOpportunity', 'getAccount', 'getAccountByDomain', 'getContact', 'getContactByEmail', 'getNote']],
  input: z.object({
    object: z.enum(objects),
    key: z.string().describe('id; or the domain of an account; or the email of a contact'),
    cursor: text('next_cursor, for the rest of a long record'),
  }),
  output: z.object({ record: anyObject, ...resultProperties }),
  run: async (session, { object, key, cursor }) => {
    if (cursor !== undefined && !/^\d{1,5}:\d{1,9}$/.test(cursor))
      throw invalid({ cursor: 'must be the next_cursor of an earlier result' });
    return { ...partOfRecord(await readRecord(session, object, key), cursor), notice };
  },
});
