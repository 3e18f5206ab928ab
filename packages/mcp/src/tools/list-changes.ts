import type { CrmClient, Event } from '@crm/client';
import { z } from 'zod';
import { countFitting, shorten } from '../budget.js';
import { pageArguments } from '../filters.js';
import { readNewestEvents } from '../newest-events.js';
import { readFittingPage } from '../pages.js';
import { collections, objects, readId, showEvent } from '../records.js';
import type { Setup } from '../setup.js';
import { invalid } from '../tool-error.js';
import { anyObject, defineTool, foreignWords, notice, reads, resultProperties, text, texts } from '../tool.js';

const defaultLimit = 20;

/** The names of changed fields in events, for the names that tools use. */
const eventNames: Readonly<Record<string, string>> = {
  stage_name: 'stage_id',
  pipeline_name: 'pipeline_id',
  owner_email: 'owner_id',
  account_domain: 'account_id',
  contact_email: 'contact_id',
  additional_contact_emails: 'additional_contact_ids',
};

const show = (events: readonly Event[], setup: Setup) =>
  Promise.all(events.map(async (event) => shorten(await showEvent(event, setup))));

/** The newest changes that match, oldest first. If not all fit, the oldest are left out. */
const showNewest = async (crm: CrmClient, setup: Setup, filter: object, limit: number) => {
  const { events, position, searchedAfter } = await readNewestEvents(crm, filter, limit);
  const newestFirst = (await show(events, setup)).toReversed();
  return {
    changes: newestFirst.slice(0, countFitting(newestFirst)).toReversed(),
    next_position: position,
    has_more: false,
    ...(searchedAfter !== null && { searched_after: searchedAfter }),
    notice,
  };
};

/** The changes after a position, oldest first. */
const showAfter = async (crm: CrmClient, setup: Setup, filter: object, after: number, limit: number) => {
  const { data } = await crm.events.list({ ...filter, after, limit });
  const shown = await show(data.events, setup);
  const count = countFitting(shown);
  const next = data.events[count]?.position;
  return {
    changes: shown.slice(0, count),
    next_position: next === undefined ? data.next_position : next - 1,
    has_more: data.has_more || next !== undefined,
    notice,
  };
};

/** `list_changes` */
export const listChanges = defineTool({
  name: 'list_changes',
  title: 'List changes',
  description: `What changed, from which value to which. With object and id: one record, newest first. Otherwise: all records after a position, oldest first; by default the newest changes. ${foreignWords}`,
  annotations: reads,
  needs: [
    ['list', 'listEvents', 'getLatestPosition', 'listOpportunityHistory', 'listAccountHistory', 'listContactHistory'],
  ],
  input: z.object({
    object: z.enum(objects).optional(),
    id: text(),
    changed: texts('without id: of the updates, only those of these fields, as in stage_name, custom__tier'),
    after_position: z.int().min(0).describe('next_position of an earlier result').optional(),
    ...pageArguments,
  }),
  output: z.object({
    changes: z.array(anyObject),
    next_position: z.int().optional(),
    has_more: z.boolean().optional(),
    searched_after: z.int().describe('earlier positions were not searched').optional(),
    ...resultProperties,
  }),
  run: async ({ crm, setup }, { object, id, changed = [], after_position: after, limit = defaultLimit, cursor }) => {
    if (id !== undefined) {
      if (object === undefined || object === 'note') throw invalid({ object: 'allowed: deal, account, contact' });
      if (changed.length > 0) throw invalid({ changed: 'works without id only' });
      const { items, ...rest } = await readFittingPage(cursor, limit, async (page) => {
        const { data } = await crm[collections[object]].history(readId(id, 'id'), page).page();
        return { items: await show(data.events, setup), next: data.next_cursor };
      });
      return { changes: items, ...rest, notice };
    }
    if (cursor !== undefined) throw invalid({ cursor: 'works with id only: send next_position as after_position' });
    const wireName = object === 'deal' ? 'opportunity' : object;
    const filter = {
      ...(wireName && { object: wireName }),
      ...(changed.length > 0 && { changed: changed.map((name) => eventNames[name] ?? name) }),
    };
    return after === undefined ? showNewest(crm, setup, filter, limit) : showAfter(crm, setup, filter, after, limit);
  },
});
