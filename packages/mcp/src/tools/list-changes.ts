import { z } from 'zod';
import { countFitting, shorten } from '../budget.js';
import { CrmApiError, type Event } from '@crm/client';
import { pageArguments } from '../filters.js';
import { readFittingPage } from '../pages.js';
import { collections, objects, readId, showEvent } from '../records.js';
import type { Setup } from '../setup.js';
import { invalid } from '../tool-error.js';
import { anyObject, defineTool, foreignWords, notice, reads, resultProperties, text } from '../tool.js';

const show = (events: readonly Event[], setup: Setup) =>
  Promise.all(events.map(async (event) => shorten(await showEvent(event, setup))));

/** `list_changes` */
export const listChanges = defineTool({
  name: 'list_changes',
  description: `What changed, from which value to which. With object and id: one record, newest first. Otherwise: all records after a position, oldest first; by default the newest changes. ${foreignWords}`,
  annotations: reads,
  needs: [
    ['list', 'listEvents', 'getLatestPosition', 'listOpportunityHistory', 'listAccountHistory', 'listContactHistory'],
  ],
  input: z.object({
    object: z.enum(objects).optional(),
    id: text(),
    after_position: z.int().min(0).describe('next_position of an earlier result').optional(),
    ...pageArguments,
  }),
  output: z.object({
    changes: z.array(anyObject),
    next_position: z.int().optional(),
    has_more: z.boolean().optional(),
    ...resultProperties,
  }),
  run: async ({ crm, setup }, { object, id, after_position: sent, limit = 20, cursor }) => {
    if (id !== undefined) {
      if (object === undefined || object === 'note') throw invalid({ object: 'allowed: deal, account, contact' });
      const { items, ...rest } = await readFittingPage(cursor, limit, async (page) => {
        const { data } = await crm[collections[object]].history(readId(id, 'id'), page).page();
        return { items: await show(data.events, setup), next: data.next_cursor };
      });
      return { changes: items, ...rest, notice };
    }
    const wireName = object === 'deal' ? 'opportunity' : object;
    const list = (from: { readonly after?: number }) =>
      crm.events.list({ ...from, limit, ...(wireName && { object: wireName }) });
    const after = sent ?? Math.max(0, (await crm.events.latest()).data.position - limit);
    const { data } = await list({ after }).catch((error: unknown) => {
      // Fewer events than asked for may be retained. Without a position, the API starts with the oldest of them.
      if (sent === undefined && error instanceof CrmApiError && error.code === 'events_expired') return list({});
      throw error;
    });
    const shown = await show(data.events, setup);
    const count = countFitting(shown);
    const next = data.events[count]?.position;
    const position = next === undefined ? data.next_position : next - 1;
    return {
      changes: shown.slice(0, count),
      next_position: position,
      has_more: data.has_more || next !== undefined,
      notice,
    };
  },
});
